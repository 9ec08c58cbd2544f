import { Command } from 'clipanion';
import { directoryArgument } from '../../signatures/flags.js';
import { printVerified, toVerifyOptions } from '../../signatures/verify.js';
import { readBundleFlag, VerifyingCommand, verifyUsage } from '../../signatures/verifying-command.js';

/** `sign_artifact verify <artifact_dir> --key HEX…`. */
export class VerifyCommand extends VerifyingCommand {
  static override paths = [['verify']];
  static override usage = Command.Usage({
    description: 'Verifies that a trusted key signed an artifact, and every byte of it.',
    ...verifyUsage,
  });

  artifactDir = directoryArgument();
  bundle = readBundleFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const options = await toVerifyOptions(this, terminal.env);
    const { verifyArtifact } = await import('../../../signing/index.js');
    await printVerified(this.artifactDir, this.json, terminal, interrupts, (signal, onProgress) =>
      verifyArtifact(this.artifactDir, { ...options, signal, onProgress }),
    );
    return 0;
  }
}
