import { AccountStateCommand, accountStateUsage } from './account-state.js';

/** `hosted-api accounts resume`. */
export class ResumeAccountCommand extends AccountStateCommand {
  static override paths = [['accounts', 'resume']];
  static override usage = accountStateUsage('resume', 'Takes requests of an account that was suspended again.');
  protected override readonly state = 'active';
}
