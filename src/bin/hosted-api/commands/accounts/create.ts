import { Command } from 'clipanion';
import { requiredOption, textOption, type CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** `hosted-api accounts create`. */
export class CreateAccountCommand extends Command<CliContext> {
  static override paths = [['accounts', 'create']];
  static override usage = Command.Usage({
    description: 'Makes an account, which has no money yet.',
    details: 'An account has one currency. Its id is what other commands ask for.',
    examples: [['An account in dollars', '$0 accounts create --name "Ann Example"']],
  });

  config = configFlag();
  name = requiredOption('--name', { value: 'TEXT', description: 'who pays' });
  currency = textOption('--currency', { value: 'CODE', description: 'three letters of ISO 4217' }, 'USD');
  json = jsonFlag('the account');
  debug = debugFlag();

  async execute(): Promise<number> {
    const [{ operate }, { renderAccount }] = await Promise.all([
      import('../../operate.js'),
      import('../../render/render-accounts.js'),
    ]);
    const params = { name: this.name, currency: this.currency.toUpperCase() };
    await operate(this, this.context.terminal, { operation: 'accounts.create', params }, renderAccount);
    return 0;
  }
}
