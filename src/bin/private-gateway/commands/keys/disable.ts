import { KeyStateCommand, keyStateUsage } from './key-state.js';

/** `private-gateway keys disable`. */
export class DisableKeyCommand extends KeyStateCommand {
  static override paths = [['keys', 'disable']];
  static override usage = keyStateUsage('disable', 'Ends a key until it is enabled again.');
  protected override readonly state = 'disabled';
}
