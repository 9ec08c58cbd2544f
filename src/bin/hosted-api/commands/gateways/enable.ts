import { Command } from 'clipanion';
import { GatewayCommand } from './gateway-command.js';

/** `hosted-api gateways enable`. */
export class EnableGatewayCommand extends GatewayCommand {
  static override paths = [['gateways', 'enable']];
  static override usage = Command.Usage({
    description: 'Offers the models of a gateway that was disabled again.',
    details: 'It is asked for its models at once.',
    examples: [['By its slug', '$0 gateways enable berlin']],
  });
  protected override readonly operation = 'gateways.set-state';
  protected override readonly more = { state: 'active' };
}
