import { Command, type Usage } from 'clipanion';
import { argument, type CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** The commands that suspend an account, or let it go on. */
export abstract class AccountStateCommand extends Command<CliContext> {
  protected abstract readonly state: 'active' | 'suspended';

  account = argument('ACCOUNT', { description: 'the id of the account, from accounts list' });
  config = configFlag();
  json = jsonFlag('the account');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { operate } = await import('../../operate.js');
    const { renderAccount } = await import('../../render/render-accounts.js');
    const params = { id: this.account, state: this.state };
    await operate(this, this.context.terminal, { operation: 'accounts.set-state', params }, renderAccount);
    return 0;
  }
}

/** What help says of one of them. */
export function accountStateUsage(name: string, description: string): Usage {
  return Command.Usage({
    description,
    details: 'Its money and its keys stay as they are. Every node applies it within half a minute.',
    examples: [['By its id', `$0 accounts ${name} acc_abc`]],
  });
}
