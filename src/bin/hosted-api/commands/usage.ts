import { Command } from 'clipanion';
import { fromOption, readTimeTexts, textOption, toOption, type CliContext } from '../../../cli/index.js';
import { configFlag, csvFlag, debugFlag, jsonFlag } from '../flags.js';

/** `hosted-api usage`. */
export class UsageCommand extends Command<CliContext> {
  static override paths = [['usage']];
  static override usage = Command.Usage({
    description: 'Sums what accounts used: requests, tokens and cost.',
    details:
      'By account, day, key, provider or model, or by some of them with commas. Without a day the dearest come first. Days are ' +
      'in UTC; the last 30 by default, 400 at most.',
    examples: [
      ['Who used how much', '$0 usage --config hosted.yaml'],
      ['The keys of one account, by day', '$0 usage --config hosted.yaml --account acc_abc --by day,key'],
      ['For a spreadsheet', '$0 usage --config hosted.yaml --by account,model --csv'],
    ],
  });

  config = configFlag();
  account = textOption('--account', { value: 'ID', description: 'the usage of this account', default: 'all accounts' });
  by = textOption('--by', { value: 'LIST', description: 'account, day, key, provider, model' }, 'account');
  from = fromOption('30 days before --to');
  to = toOption('tomorrow');
  csv = csvFlag('the sums');
  json = jsonFlag('the sums');
  debug = debugFlag();

  async execute(): Promise<number> {
    const [{ operate }, { renderUsage }] = await Promise.all([
      import('../operate.js'),
      import('../render/render-usage.js'),
    ]);
    const params = {
      group_by: this.by,
      ...(this.account !== undefined && { account_id: this.account }),
      ...readTimeTexts(this),
    };
    await operate(this, this.context.terminal, { operation: 'usage.sum', params }, renderUsage);
    return 0;
  }
}
