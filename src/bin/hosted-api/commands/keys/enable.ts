import { KeyStateCommand, keyStateUsage } from './key-state.js';

/** `hosted-api keys enable`. */
export class EnableKeyCommand extends KeyStateCommand {
  static override paths = [['keys', 'enable']];
  static override usage = keyStateUsage('enable', 'Takes a key that was disabled again.');
  protected override readonly state = 'active';
}
