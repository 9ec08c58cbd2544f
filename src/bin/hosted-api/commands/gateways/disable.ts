import { Command } from 'clipanion';
import { GatewayCommand } from './gateway-command.js';

/** `hosted-api gateways disable`. */
export class DisableGatewayCommand extends GatewayCommand {
  static override paths = [['gateways', 'disable']];
  static override usage = Command.Usage({
    description: 'Takes a gateway out of the catalog until it is enabled again.',
    details: 'It keeps its settings and its prices, and gets no requests.',
    examples: [['By its slug', '$0 gateways disable berlin']],
  });
  protected override readonly operation = 'gateways.set-state';
  protected override readonly more = { state: 'disabled' };
}
