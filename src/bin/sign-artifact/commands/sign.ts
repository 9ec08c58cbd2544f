import { writeFile } from 'node:fs/promises';
import { Command } from 'clipanion';
import { throwFileError } from '../../../base/index.js';
import { argument, print, textOption, type CliContext } from '../../../cli/index.js';
import { debugFlag, directoryArgument, jsonFlag } from '../../signatures/flags.js';
import { openHashProgress } from '../../signatures/hash-progress.js';
import { readTrustDir, trustDirFlag } from '../../signatures/trust-options.js';

/** `sign_artifact sign <private_key_file> <artifact_dir>`. */
export class SignCommand extends Command<CliContext> {
  static override paths = [['sign']];
  static override usage = Command.Usage({
    description: 'Signs an artifact: every byte of all of its files.',
    details:
      'The signature is written to signature.json in the directory. Signatures of other keys stay as long as the content is ' +
      'the same. Where it was changed since it was signed, its revision is raised, and the earlier signatures are removed.',
    examples: [
      ['Sign', '$0 sign me.key ./model'],
      ['And write the signature as a Sigstore bundle too', '$0 sign me.key ./model --bundle model.sigstore.json'],
    ],
  });

  privateKeyFile = argument('private_key_file', { description: 'the .key file of keygen' });
  artifactDir = directoryArgument();
  bundle = textOption('--bundle', {
    value: 'FILE',
    description: 'write this signature to a file, as a Sigstore bundle (version 0.3)',
    group: 'Signatures',
  });
  trustDir = trustDirFlag();
  json = jsonFlag();
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const { defaultTrustDir, exportBundle, readPrivateKey, signArtifact } = await import('../../../signing/index.js');
    const trustDir = readTrustDir(this.trustDir, terminal.env) ?? defaultTrustDir();
    const { seed, isExposed } = await readPrivateKey(this.privateKeyFile);
    if (isExposed) {
      terminal.stderr.write(
        `warning: other users of this machine can read ${this.privateKeyFile}; take that right away: chmod 600\n`,
      );
    }
    const signed = await interrupts.during(async (signal) => {
      using progress = openHashProgress(terminal, 'verifying', this.artifactDir);
      return await signArtifact(this.artifactDir, { seed, trustDir, signal, onProgress: progress.onProgress });
    });
    const { key, change, document, envelope } = signed;
    if (this.bundle !== undefined) {
      const text = await exportBundle(this.artifactDir, key);
      await writeFile(this.bundle, text).catch(throwFileError('write', this.bundle));
    }
    const { id, quant, revision } = document;
    const numSignatures = envelope.signatures.length;
    if (this.json) {
      const made = { directory: this.artifactDir, id, quant, key, revision, signatures: numSignatures };
      await print(terminal.stdout, `${JSON.stringify({ ...made, bundle: this.bundle ?? null })}\n`, terminal.closed);
      return 0;
    }
    const others = numSignatures === 1 ? '' : `, ${numSignatures} signatures in all`;
    const raised = change === undefined ? '' : `  raised, since ${change}; the earlier signatures are removed\n`;
    const text = `${this.artifactDir}: signed ${id} (${quant}), revision ${revision}${others}\n${raised}  signed by ${key}\n`;
    await print(terminal.stdout, text, terminal.closed);
    return 0;
  }
}
