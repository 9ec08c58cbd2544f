import { Command } from 'clipanion';
import { AppError } from '../../../base/index.js';
import { argument } from '../../../cli/index.js';
import { printVerified, toOptionalVerifyOptions } from '../../signatures/verify.js';
import { readBundleFlag, VerifyingCommand, verifyUsage } from '../../signatures/verifying-command.js';
import { toDirectories } from '../options/directories.js';
import { modelsDirFlag } from '../options/engine-flags.js';

/** `native-engine verify <model> --key HEX…`: as `sign_artifact verify`, for models by name; without a key only whether it is whole. */
export class VerifyCommand extends VerifyingCommand {
  static override paths = [['verify']];
  static override usage = Command.Usage({
    description: 'Verifies every byte of a model, and that a trusted key signed it.',
    ...verifyUsage,
    details: `Without a key the files are held against the checksums of the model, and no signature is checked. ${verifyUsage.details}`,
    examples: [['Whether the files are whole', '$0 verify org/name'], ...verifyUsage.examples],
  });

  model = argument('model', { description: 'the directory of an artifact, or the name of a model' });
  bundle = readBundleFlag();
  modelsDir = modelsDirFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const options = await toOptionalVerifyOptions(this, terminal.env);
    const directories = await toDirectories(this, terminal.env);
    const { defaultModelsDir } = await import('../../../store/index.js');
    const { findModel, locateModel } = await import('../../../models/index.js');
    const { checkSums, verifyArtifact } = await import('../../../signing/index.js');
    const modelsDir = directories.modelsDir ?? defaultModelsDir();
    if (options === undefined) {
      const { path, isFile } = await findModel(this.model, modelsDir);
      if (isFile) throw noSums(this.model);
      await printVerified(path, this.json, terminal, interrupts, (signal, onProgress) =>
        checkSums(path, { signal, onProgress }),
      );
      return 0;
    }
    // A file has no signature of ours, so that there is nothing to import.
    const directory = await locateModel(this.model, { modelsDir, requireSigned: true });
    await printVerified(directory, this.json, terminal, interrupts, (signal, onProgress) =>
      verifyArtifact(directory, { ...options, signal, onProgress }),
    );
    return 0;
  }
}

function noSums(model: string): AppError {
  const message = `${model} is a GGUF file, which has neither checksums nor a signature; pull or convert it, and verify the model that is made`;
  return new AppError('invalid_arguments', message, { model });
}
