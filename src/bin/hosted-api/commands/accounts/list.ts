import { Command } from 'clipanion';
import type { CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** `hosted-api accounts list`. */
export class ListAccountsCommand extends Command<CliContext> {
  static override paths = [['accounts', 'list']];
  static override usage = Command.Usage({
    description: 'Lists the accounts with their balances and the sums that running requests have reserved.',
    details: 'All of them, the oldest first.',
    examples: [['All accounts', '$0 accounts list']],
  });

  config = configFlag();
  json = jsonFlag('the accounts');
  debug = debugFlag();

  async execute(): Promise<number> {
    const [{ operateOnPages }, { renderAccounts }] = await Promise.all([
      import('../../operate.js'),
      import('../../render/render-accounts.js'),
    ]);
    const asked = { operation: 'accounts.list', list: 'accounts' } as const;
    await operateOnPages(this, this.context.terminal, asked, renderAccounts);
    return 0;
  }
}
