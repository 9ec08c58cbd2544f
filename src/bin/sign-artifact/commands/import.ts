import { Command } from 'clipanion';
import { requiredOption } from '../../../cli/index.js';
import { directoryArgument } from '../../signatures/flags.js';
import { printVerified, toVerifyOptions } from '../../signatures/verify.js';
import { VerifyingCommand } from '../../signatures/verifying-command.js';

/** `sign_artifact import <artifact_dir> --bundle FILE --key HEX…`. */
export class ImportCommand extends VerifyingCommand {
  static override paths = [['import']];
  static override usage = Command.Usage({
    description: 'Takes a signature from a file into an artifact, once it was verified.',
    examples: [['A Sigstore bundle', '$0 import ./model --bundle model.sigstore.json --key "$(cat me.pub)"']],
  });

  artifactDir = directoryArgument();
  bundle = requiredOption('--bundle', {
    value: 'FILE',
    description: 'a Sigstore bundle (version 0.3), or a DSSE envelope',
    group: 'Signatures',
  });

  async execute(): Promise<number> {
    const { bundle, context } = this;
    const options = await toVerifyOptions(this, context.terminal.env);
    const { importBundle } = await import('../../../signing/index.js');
    await printVerified(this.artifactDir, this.json, context.terminal, context.interrupts, (signal, onProgress) =>
      importBundle(this.artifactDir, { ...options, bundle, signal, onProgress }),
    );
    return 0;
  }
}
