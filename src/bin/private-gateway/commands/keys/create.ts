import { unixMs } from '../../../../base/index.js';
import { Command } from 'clipanion';
import { listOption, requiredOption, textOption, type CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag, limitFlags } from '../../flags.js';

const limits = limitFlags({ hint: '', default: 'no limit' });

/** `private-gateway keys create`. */
export class CreateKeyCommand extends Command<CliContext> {
  static override paths = [['keys', 'create']];
  static override usage = Command.Usage({
    description: 'Makes a key, and prints it this once.',
    details: 'The key is in the database of the gateway, which has its hash. A limit that is left out does not limit.',
    examples: [
      ['For one person', '$0 keys create --name ann --budget 5000000/month'],
      ['For a test machine', '$0 keys create --name ci --models llama3 --expires 30d --requests-per-minute 60'],
    ],
  });

  config = configFlag();
  name = requiredOption('--name', { value: 'TEXT', description: 'who uses it, or what for', group: 'Limits' });
  models = textOption('--models', {
    value: 'LIST',
    description: 'models that it may use: llama3,qwen*',
    default: 'all',
    group: 'Limits',
  });
  expires = textOption('--expires', {
    value: 'TIME',
    description: 'when it ends: 30d, or 2027-01-31T00:00:00Z',
    default: 'never',
    group: 'Limits',
  });
  requestsPerMinute = limits.requestsPerMinute();
  tokensPerMinute = limits.tokensPerMinute();
  parallel = limits.parallel();
  maxOutputTokens = limits.maxOutputTokens();
  budget = listOption('--budget', {
    value: 'AMOUNT',
    description: 'its budget: 5000000/month (tokens), 20.00EUR/day; of a day, week, month or total',
    group: 'Limits',
  });
  json = jsonFlag('the key');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { toKeyParams } = await import('../../key-options.js');
    const params = toKeyParams(this.name, this, unixMs());
    const [{ operate }, { renderSecret }] = await Promise.all([
      import('../../operate.js'),
      import('../../render-keys.js'),
    ]);
    await operate(this, this.context.terminal, { operation: 'keys.create', params }, renderSecret);
    return 0;
  }
}
