import { Command } from 'clipanion';
import {
  fromOption,
  parseNumber,
  readTimeRange,
  switchOption,
  textOption,
  toOption,
  type CliContext,
} from '../../../cli/index.js';
import { configFlag, csvFlag, debugFlag, jsonFlag } from '../flags.js';

/** `hosted-api requests`. */
export class RequestsCommand extends Command<CliContext> {
  static override paths = [['requests'], ['requests', 'list']];
  static override usage = Command.Usage({
    description: 'Shows the newest requests: usage and costs, no prompts and no answers.',
    details: 'Of all accounts, or of one. Running requests are not listed.',
    examples: [
      ['The last fifty', '$0 requests'],
      ['What failed for one account', '$0 requests --account acc_abc --failed'],
      ['For a spreadsheet', '$0 requests --from 2026-11-01 --to 2026-12-01 --limit 1000 --csv'],
    ],
  });

  config = configFlag();
  limit = textOption('--limit', { value: 'N', description: 'how many' }, '50');
  account = textOption('--account', { value: 'ID', description: 'only of this account', default: 'all' });
  key = textOption('--key', { value: 'ID', description: 'only of this key', default: 'all' });
  provider = textOption('--provider', { value: 'ID', description: 'only of this provider', default: 'all' });
  model = textOption('--model', { value: 'NAME', description: 'only of this model', default: 'all' });
  failed = switchOption('--failed', { description: 'only those that got no answer or an error' });
  from = fromOption();
  to = toOption();
  csv = csvFlag('the requests');
  json = jsonFlag('the requests');
  debug = debugFlag();

  async execute(): Promise<number> {
    const [{ operate }, { renderRequests }] = await Promise.all([
      import('../operate.js'),
      import('../render/render-requests.js'),
    ]);
    const { account, key, provider, model } = this;
    const given = {
      account_id: account,
      key_id: key,
      provider,
      model,
      failed: this.failed ? true : undefined,
      ...readTimeRange(this),
    };
    const params = {
      limit: parseNumber('--limit', this.limit, { min: 1, max: 1_000, whole: true }),
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    };
    await operate(this, this.context.terminal, { operation: 'requests.list', params }, renderRequests);
    return 0;
  }
}
