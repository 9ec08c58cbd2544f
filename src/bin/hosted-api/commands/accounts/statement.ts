import { Command } from 'clipanion';
import { argument, fromOption, readTimeTexts, toOption, type CliContext } from '../../../../cli/index.js';
import { configFlag, csvFlag, debugFlag, jsonFlag } from '../../flags.js';

/** `hosted-api accounts statement`. */
export class AccountStatementCommand extends Command<CliContext> {
  static override paths = [['accounts', 'statement']];
  static override usage = Command.Usage({
    description: 'Lists payments and refunds of an account, with the balance before and after.',
    details: 'Days are in UTC: the last 30 by default, 400 at most.',
    examples: [
      ['The last 30 days', '$0 accounts statement acc_abc --config hosted.yaml'],
      [
        'A quarter, for a spreadsheet',
        '$0 accounts statement acc_abc --config hosted.yaml --from 2027-01-01 --to 2027-04-01 --csv',
      ],
    ],
  });

  account = argument('ACCOUNT', { description: 'the id of the account, from accounts list' });
  config = configFlag();
  from = fromOption('30 days before --to');
  to = toOption('tomorrow');
  csv = csvFlag('payments and refunds');
  json = jsonFlag('the statement');
  debug = debugFlag();

  async execute(): Promise<number> {
    const [{ operateOnPages }, { renderStatement }] = await Promise.all([
      import('../../operate.js'),
      import('../../render/render-statement.js'),
    ]);
    const params = {
      id: this.account,
      ...readTimeTexts(this),
    };
    const asked = { operation: 'accounts.statement', list: 'payments', params } as const;
    await operateOnPages(this, this.context.terminal, asked, renderStatement);
    return 0;
  }
}
