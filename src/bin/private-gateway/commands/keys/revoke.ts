import { KeyStateCommand, keyStateUsage } from './key-state.js';

/** `private-gateway keys revoke`. */
export class RevokeKeyCommand extends KeyStateCommand {
  static override paths = [['keys', 'revoke']];
  static override usage = keyStateUsage('revoke', 'Ends a key for good.');
  protected override readonly state = 'revoked';
}
