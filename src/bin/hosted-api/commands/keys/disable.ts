import { KeyStateCommand, keyStateUsage } from './key-state.js';

/** `hosted-api keys disable`. */
export class DisableKeyCommand extends KeyStateCommand {
  static override paths = [['keys', 'disable']];
  static override usage = keyStateUsage(
    'disable',
    'Disables a key and ends its running requests, until it is enabled again.',
  );
  protected override readonly state = 'disabled';
}
