import { KeyStateCommand, keyStateUsage } from './key-state.js';

/** `private-gateway keys enable`. */
export class EnableKeyCommand extends KeyStateCommand {
  static override paths = [['keys', 'enable']];
  static override usage = keyStateUsage('enable', 'Puts a disabled key in force again.');
  protected override readonly state = 'active';
}
