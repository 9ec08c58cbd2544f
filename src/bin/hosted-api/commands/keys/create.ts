import { Command } from 'clipanion';
import { unixMs } from '../../../../base/index.js';
import { argument, listOption, requiredOption, textOption, type CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** `hosted-api keys create`. */
export class CreateKeyCommand extends Command<CliContext> {
  static override paths = [['keys', 'create']];
  static override usage = Command.Usage({
    description: 'Makes a key of an account, and prints it this once.',
    details: 'The database has an HMAC of it and nothing else. A limit that is left out does not limit.',
    examples: [
      ['Without limits', '$0 keys create acc_abc --name laptop'],
      [
        'For a test machine',
        '$0 keys create acc_abc --name ci --budget 5.00/day --models "pgw/berlin/*" --expires 30d',
      ],
    ],
  });

  account = argument('ACCOUNT', { description: 'the id of the account that pays' });
  config = configFlag();
  name = requiredOption('--name', { value: 'TEXT', description: 'who uses it, or what for' });
  models = textOption('--models', {
    value: 'LIST',
    description: 'its models: pgw/berlin,openai/gpt-5*',
    default: 'all',
    group: 'Limits',
  });
  expires = textOption('--expires', {
    value: 'TIME',
    description: 'when it ends: 30d, or 2027-01-31T00:00:00Z',
    default: 'never',
    group: 'Limits',
  });
  requestsPerMinute = textOption('--requests-per-minute', {
    value: 'N',
    description: 'requests a minute',
    default: 'no limit',
    group: 'Limits',
  });
  tokensPerMinute = textOption('--tokens-per-minute', {
    value: 'N',
    description: 'prompt and completion tokens a minute',
    default: 'no limit',
    group: 'Limits',
  });
  parallel = textOption('--parallel', {
    value: 'N',
    description: 'requests at the same time',
    default: 'no limit',
    group: 'Limits',
  });
  budget = listOption('--budget', {
    value: 'AMOUNT',
    description: 'the most that it may spend: 5.00/day; of a day, week, month or total',
    group: 'Limits',
  });
  json = jsonFlag('the key');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { toKeyParams } = await import('../../key-options.js');
    const params = toKeyParams(this, unixMs());
    const [{ operate }, { renderSecret }] = await Promise.all([
      import('../../operate.js'),
      import('../../render/render-keys.js'),
    ]);
    await operate(this, this.context.terminal, { operation: 'keys.create', params }, renderSecret);
    return 0;
  }
}
