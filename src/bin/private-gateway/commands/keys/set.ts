import { unixMs } from '../../../../base/index.js';
import { Command } from 'clipanion';
import { argument, listOption, textOption, type CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag, limitFlags } from '../../flags.js';

const AS_BEFORE = 'as before';
const limits = limitFlags({ hint: '; none takes the limit away', default: AS_BEFORE });

/** `private-gateway keys set`. */
export class SetKeyCommand extends Command<CliContext> {
  static override paths = [['keys', 'set']];
  static override usage = Command.Usage({
    description: 'Changes the name, models, expiry, limits or budgets of a key.',
    details:
      'Options that are left out change nothing. A key of gateway.yaml is changed there: comments and other lines stay, and the text ' +
      'before stays beside it as FILE.bak-TIME. The audit log has the values before and after.',
    examples: [
      ['A larger budget', '$0 keys set ann --budget 10.00USD/month'],
      ['Other models, and no limit a minute', "$0 keys set vk_abc --models 'llama3,qwen*' --requests-per-minute none"],
    ],
  });

  keyId = argument('KEY', { description: 'the id of the key, or its name where no other key has it' });
  config = configFlag();
  name = textOption('--name', {
    value: 'TEXT',
    description: 'who uses it, or what for',
    default: AS_BEFORE,
    group: 'Limits',
  });
  models = textOption('--models', {
    value: 'LIST',
    description: 'models that it may use: llama3,qwen*; or all',
    default: AS_BEFORE,
    group: 'Limits',
  });
  expires = textOption('--expires', {
    value: 'TIME',
    description: 'when it ends: 30d, 2027-01-31T00:00:00Z, or never',
    default: AS_BEFORE,
    group: 'Limits',
  });
  requestsPerMinute = limits.requestsPerMinute();
  tokensPerMinute = limits.tokensPerMinute();
  parallel = limits.parallel();
  maxOutputTokens = limits.maxOutputTokens();
  budget = listOption('--budget', {
    value: 'AMOUNT',
    description: 'all its budgets from now on: 5000000/month (tokens), 20.00EUR/day; or none',
    group: 'Limits',
  });
  json = jsonFlag('the key');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { toKeyChange } = await import('../../key-options.js');
    const params = toKeyChange(this.keyId, this, unixMs());
    const [{ operate }, { renderChanged }] = await Promise.all([
      import('../../operate.js'),
      import('../../render-keys.js'),
    ]);
    await operate(this, this.context.terminal, { operation: 'keys.set', params }, renderChanged);
    return 0;
  }
}
