import { writeFile } from 'node:fs/promises';
import { Command } from 'clipanion';
import { throwFileError } from '../../../base/index.js';
import { print, requiredOption, textOption, type CliContext } from '../../../cli/index.js';
import { debugFlag, directoryArgument } from '../../signatures/flags.js';

/** `sign_artifact export <artifact_dir> --bundle FILE`. */
export class ExportCommand extends Command<CliContext> {
  static override paths = [['export']];
  static override usage = Command.Usage({
    description: 'Writes a signature of an artifact to a file, as a Sigstore bundle.',
    examples: [['The signature', '$0 export ./model --bundle model.sigstore.json']],
  });

  artifactDir = directoryArgument();
  bundle = requiredOption('--bundle', {
    value: 'FILE',
    description: 'the file to write (Sigstore bundle, version 0.3)',
    group: 'Signatures',
  });
  key = textOption('--key', {
    value: 'HEX',
    description: 'public key of the signature, where there are several',
    default: 'the only one',
    group: 'Signatures',
  });
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal } = this.context;
    const { exportBundle, parsePublicKey } = await import('../../../signing/index.js');
    const key = this.key === undefined ? undefined : await parsePublicKey(this.key, '--key');
    const text = await exportBundle(this.artifactDir, key);
    await writeFile(this.bundle, text).catch(throwFileError('write', this.bundle));
    await print(terminal.stdout, `${this.bundle}: a signature of ${this.artifactDir}\n`, terminal.closed);
    return 0;
  }
}
