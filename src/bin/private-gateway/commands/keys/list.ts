import { Command } from 'clipanion';
import type { CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** `private-gateway keys list`. */
export class ListKeysCommand extends Command<CliContext> {
  static override paths = [['keys', 'list']];
  static override usage = Command.Usage({
    description: 'Lists the keys, with their limits, and the used and reserved parts.',
    details: 'The list has the keys of the file and the keys made by commands.',
    examples: [['All keys', '$0 keys list']],
  });

  config = configFlag();
  json = jsonFlag('the keys');
  debug = debugFlag();

  async execute(): Promise<number> {
    const [{ operate }, { renderKeys }] = await Promise.all([
      import('../../operate.js'),
      import('../../render-keys.js'),
    ]);
    await operate(this, this.context.terminal, { operation: 'keys.list' }, renderKeys);
    return 0;
  }
}
