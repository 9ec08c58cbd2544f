import { Command } from 'clipanion';
import { AppError } from '../../../base/index.js';
import { argument, print, type CliContext } from '../../../cli/index.js';
import { debugFlag, jsonFlag } from '../../signatures/flags.js';

/** `sign_artifact keygen <name>`: a key pair in two files. */
export class KeygenCommand extends Command<CliContext> {
  static override paths = [['keygen']];
  static override usage = Command.Usage({
    description: 'Makes a key pair: <name>.key and <name>.pub.',
    details:
      'The .key file is the private key (Ed25519, PKCS#8 in PEM), which only its owner can read; keep it secret. The .pub ' +
      'file is the public key, 64 hexadecimal digits, for those who verify. A file that is there is never overwritten.',
    examples: [['me.key and me.pub', '$0 keygen me']],
  });

  name = argument('name', { description: 'path of the two files, without their ends' });
  json = jsonFlag();
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal } = this.context;
    if (/(^|[/\\])$/.test(this.name)) {
      const message = `the name of a key is ${JSON.stringify(this.name)}, but must be that of a file, such as me or keys/me.`;
      throw new AppError('invalid_arguments', message);
    }
    const { generateKeyFiles } = await import('../../../signing/index.js');
    const { publicKey, privateKeyFile, publicKeyFile } = await generateKeyFiles(this.name);
    const text = this.json
      ? `${JSON.stringify({ publicKey, privateKeyFile, publicKeyFile })}\n`
      : `private key: ${privateKeyFile} (keep it secret)\npublic key:  ${publicKeyFile}\n${publicKey}\n`;
    await print(terminal.stdout, text, terminal.closed);
    return 0;
  }
}
