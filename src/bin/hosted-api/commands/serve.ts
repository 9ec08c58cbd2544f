import { Command } from 'clipanion';
import { switchOption, type CliContext } from '../../../cli/index.js';
import { configFlag, debugFlag } from '../flags.js';

/** `hosted-api serve`. */
export class ServeCommand extends Command<CliContext> {
  static override paths = [['serve']];
  static override usage = Command.Usage({
    description: 'Serves the providers and connected gateways of a hosted.yaml to clients with a key of an account.',
    details:
      'A change of providers and limits takes effect without a restart; a file with a mistake changes nothing. Ends with ' +
      'SIGTERM or Ctrl-C when the answers under way have ended, at the latest after limits.drain_s; a second one ends it at ' +
      'once. No prompt and no answer is stored: settings of Node that write memory to a disk are refused without --force.',
    examples: [['The file that init wrote', '$0 serve --config hosted.yaml']],
  });

  config = configFlag();
  force = switchOption('--force', {
    description: 'serve although this process may write prompts or answers to a disk',
  });
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const { serve } = await import('../serve-node.js');
    await serve({ path: this.config, isForced: this.force }, terminal, interrupts);
    return 0;
  }
}
