import { Command } from 'clipanion';
import { argument, type CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** `hosted-api keys list`. */
export class ListKeysCommand extends Command<CliContext> {
  static override paths = [['keys', 'list']];
  static override usage = Command.Usage({
    description: 'Lists the keys of an account with their limits.',
    details: 'Of a key only its beginning is shown.',
    examples: [['The keys of an account', '$0 keys list acc_abc']],
  });

  account = argument('ACCOUNT', { description: 'the id of the account' });
  config = configFlag();
  json = jsonFlag('the keys');
  debug = debugFlag();

  async execute(): Promise<number> {
    const [{ operateOnPages }, { renderKeys }] = await Promise.all([
      import('../../operate.js'),
      import('../../render/render-keys.js'),
    ]);
    const params = { account_id: this.account };
    await operateOnPages(this, this.context.terminal, { operation: 'keys.list', list: 'keys', params }, renderKeys);
    return 0;
  }
}
