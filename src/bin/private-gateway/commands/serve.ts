import { Command } from 'clipanion';
import { parseChoice, switchOption, textOption, type CliContext } from '../../../cli/index.js';
import { configFlag, debugFlag } from '../flags.js';

/** `private-gateway serve`. */
export class ServeCommand extends Command<CliContext> {
  static override paths = [['serve']];
  static override usage = Command.Usage({
    description: 'Serves the models of a gateway.yaml to clients with a key.',
    details:
      'A change of the file is checked and taken up without a restart; a file with a mistake changes nothing. Ends with ' +
      'SIGTERM or Ctrl-C when the answers under way have ended, at the latest after drain_s; a second one ends it at once. ' +
      'No prompt and no answer is stored: settings of Node that write memory to a disk are refused without --force.',
    examples: [['The file that init wrote', '$0 serve --config gateway.yaml']],
  });

  config = configFlag();
  transport = textOption('--transport', {
    value: 'auto|uws|node',
    description: 'uws (uWebSockets.js) or node (node:http)',
    default: 'auto: uws where it is installed',
    group: 'Network',
  });
  force = switchOption('--force', {
    description: 'serve although this process may write prompts or answers to a disk',
  });
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const transport = parseChoice('--transport', this.transport ?? 'auto', ['auto', 'uws', 'node'] as const);
    const { serve } = await import('../serve-gateway.js');
    await serve({ path: this.config, transport, isForced: this.force }, terminal, interrupts);
    return 0;
  }
}
