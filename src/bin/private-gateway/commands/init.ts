import { Command } from 'clipanion';
import { switchOption, type CliContext } from '../../../cli/index.js';
import {
  allowPublicFlag,
  cidrFlag,
  configFlag,
  debugFlag,
  jsonFlag,
  portsFlag,
  timeoutFlag,
  toScanOptions,
  withScanFlags,
} from '../flags.js';
import { quoteForShell } from '../../shell-words.js';

/** `private-gateway init`: scans, asks, and writes a file that can be served. */
export class InitCommand extends Command<CliContext> {
  static override paths = [['init']];
  static override usage = Command.Usage({
    description: 'Looks for model servers, and writes a gateway.yaml with them, their models and a key.',
    details:
      'The key is printed once, and the file has its hash. Found servers are written when you say yes; without a ' +
      'terminal only with --yes. A file that exists is not touched without --force. With it the file keeps its gateway id, ' +
      'keys and comments, and the text before stays beside it as FILE.bak-TIME. The lines that change are shown first; on a ' +
      'terminal they are written when you say yes, or with --yes.',
    examples: [
      ['With the servers of this machine', '$0 init --config gateway.yaml'],
      ['With those of a network, in a script', '$0 init --config gateway.yaml --cidr 192.168.1.0/24 --yes --json'],
      ['Again, after a server was added', '$0 init --config gateway.yaml --force'],
    ],
  });

  config = configFlag();
  force = switchOption('--force', { description: 'scan again for a file that exists', group: 'Files' });
  cidr = cidrFlag();
  allowPublic = allowPublicFlag();
  ports = portsFlag();
  timeout = timeoutFlag();
  yes = switchOption('--yes', { description: 'write all found servers, without a question' });
  json = jsonFlag('the findings and the written file, with the key,');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const { config: path, force, yes, json } = this;
    const scanOptions = toScanOptions(this);
    const again = withScanFlags(`private-gateway init --config ${quoteForShell(path)} --force`, this);
    // Loaded here, so that help and refusals do not wait for it.
    const { init } = await import('../init.js');
    await init({ path, force, yes, json, scanOptions, again }, terminal, interrupts);
    return 0;
  }
}
