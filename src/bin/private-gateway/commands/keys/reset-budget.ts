import { Command } from 'clipanion';
import { argument, parseChoice, textOption, type CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

const WINDOWS = ['day', 'week', 'month', 'total'] as const;

/** `private-gateway keys reset-budget`. */
export class ResetBudgetCommand extends Command<CliContext> {
  static override paths = [['keys', 'reset-budget']];
  static override usage = Command.Usage({
    description: 'Makes budgets of a key full again.',
    details:
      'Earlier usage of the key no longer counts in the present window. Usage and costs stay recorded, and the ' +
      'next window begins when it would have. The audit log has the usage until then.',
    examples: [
      ['All budgets of a key', '$0 keys reset-budget vk_abc'],
      ['One of them', '$0 keys reset-budget vk_abc --window month --unit USD'],
    ],
  });

  keyId = argument('KEY', { description: 'the id of the key, or its name where no other key has it' });
  config = configFlag();
  window = textOption('--window', {
    value: 'day|week|month|total',
    description: 'only those of this window',
    default: 'all',
  });
  unit = textOption('--unit', {
    value: 'UNIT',
    description: 'only those in this unit: tokens, or a currency',
    default: 'all',
  });
  json = jsonFlag('the key');
  debug = debugFlag();

  async execute(): Promise<number> {
    const params = {
      id: this.keyId,
      ...(this.window !== undefined && { window: parseChoice('--window', this.window, WINDOWS) }),
      ...(this.unit !== undefined && { unit: this.unit === 'tokens' ? this.unit : this.unit.toUpperCase() }),
    };
    const [{ operate }, { renderChanged }] = await Promise.all([
      import('../../operate.js'),
      import('../../render-keys.js'),
    ]);
    await operate(this, this.context.terminal, { operation: 'keys.reset-budget', params }, renderChanged);
    return 0;
  }
}
