import { KeyStateCommand, keyStateUsage } from './key-state.js';

/** `hosted-api keys disable`. */
export class DisableKeyCommand extends KeyStateCommand {
  static override paths = [['keys', 'disable']];
  static override usage = keyStateUsage('disable', 'Ends a key, and what it has under way, until it is enabled again.');
  protected override readonly state = 'disabled';
}
