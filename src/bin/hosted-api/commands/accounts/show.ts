import { Command } from 'clipanion';
import { argument, type CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** `hosted-api accounts show`. */
export class ShowAccountCommand extends Command<CliContext> {
  static override paths = [['accounts', 'show']];
  static override usage = Command.Usage({
    description: 'Shows an account: its balance, its keys, its last payments, and its usage of 30 days.',
    details:
      'A key is shown by its first characters. accounts statement lists all payments; usage sums by account, key or model.',
    examples: [['By its id', '$0 accounts show acc_abc --config hosted.yaml']],
  });

  account = argument('ACCOUNT', { description: 'the id of the account, from accounts list' });
  config = configFlag();
  json = jsonFlag('the account');
  debug = debugFlag();

  async execute(): Promise<number> {
    const [{ operate }, { renderOneAccount }] = await Promise.all([
      import('../../operate.js'),
      import('../../render/render-one-account.js'),
    ]);
    const asked = { operation: 'accounts.show', params: { id: this.account } } as const;
    await operate(this, this.context.terminal, asked, renderOneAccount);
    return 0;
  }
}
