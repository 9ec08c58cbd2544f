import { AccountStateCommand, accountStateUsage } from './account-state.js';

/** `hosted-api accounts suspend`. */
export class SuspendAccountCommand extends AccountStateCommand {
  static override paths = [['accounts', 'suspend']];
  static override usage = accountStateUsage('suspend', 'Refuses every request of an account until it is resumed.');
  protected override readonly state = 'suspended';
}
