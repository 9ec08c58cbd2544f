import { Command } from 'clipanion';
import { argument, requiredOption, textOption, type CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** `hosted-api accounts credit`. */
export class CreditAccountCommand extends Command<CliContext> {
  static override paths = [['accounts', 'credit']];
  static override usage = Command.Usage({
    description: 'Books money to an account, or takes it with a negative amount.',
    details:
      'The reference, of a payment or an invoice, is booked once: the same command again changes nothing and says so. Another ' +
      'amount or note under a used reference is refused. A balance never falls below zero.',
    examples: [
      ['A payment', '$0 accounts credit acc_abc --amount 20.00 --reference payment-17'],
      ['A correction', '$0 accounts credit acc_abc --amount=-5.00 --reference correction-3'],
    ],
  });

  account = argument('ACCOUNT', { description: 'the id of the account, from accounts list' });
  config = configFlag();
  amount = requiredOption('--amount', { value: 'N', description: 'units of its currency, with at most six decimals' });
  reference = requiredOption('--reference', { value: 'TEXT', description: 'what the money is for, unique an account' });
  note = textOption('--note', { value: 'TEXT', description: 'a remark for the ledger', default: 'none' });
  json = jsonFlag('the account');
  debug = debugFlag();

  async execute(): Promise<number> {
    const [{ operate }, { renderCredit }] = await Promise.all([
      import('../../operate.js'),
      import('../../render/render-accounts.js'),
    ]);
    const { account: id, amount, reference, note } = this;
    const params = { id, amount, reference, ...(note !== undefined && { note }) };
    await operate(this, this.context.terminal, { operation: 'accounts.credit', params }, renderCredit);
    return 0;
  }
}
