import { Command } from 'clipanion';
import { argument } from '../../../cli/index.js';
import { printVerified, toVerifyOptions } from '../../signatures/verify.js';
import { readBundleFlag, VerifyingCommand, verifyUsage } from '../../signatures/verifying-command.js';
import { toDirectories } from '../directories.js';
import { modelsDirFlag } from '../engine-flags.js';

/** `native-engine verify <model> --key HEX…`: as `sign_artifact verify`, for models by name. */
export class VerifyCommand extends VerifyingCommand {
  static override paths = [['verify']];
  static override usage = Command.Usage({
    description: 'Verifies that a trusted key signed a model, and every byte of it.',
    ...verifyUsage,
  });

  model = argument('model', { description: 'the directory of an artifact, or the name of a model' });
  bundle = readBundleFlag();
  modelsDir = modelsDirFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const options = await toVerifyOptions(this, terminal.env);
    const directories = await toDirectories(this, terminal.env);
    const { defaultModelsDir } = await import('../../../store/index.js');
    const { locateModel } = await import('../../../library/index.js');
    const { verifyArtifact } = await import('../../../signing/index.js');
    const modelsDir = directories.modelsDir ?? defaultModelsDir();
    // A file has no signature of ours, so that there is nothing to import.
    const directory = await locateModel(this.model, { modelsDir, requireSigned: true });
    await printVerified(directory, this.json, terminal, interrupts, (signal, onProgress) =>
      verifyArtifact(directory, { ...options, signal, onProgress }),
    );
    return 0;
  }
}
