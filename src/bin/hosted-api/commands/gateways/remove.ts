import { Command } from 'clipanion';
import { GatewayCommand } from './gateway-command.js';

/** `hosted-api gateways remove`. */
export class RemoveGatewayCommand extends GatewayCommand {
  static override paths = [['gateways', 'remove']];
  static override usage = Command.Usage({
    description: 'Ends a gateway: its path and its models are there no more.',
    details: 'Running requests end normally. Its prices stay in the database, under its slug.',
    examples: [['By its slug', '$0 gateways remove berlin']],
  });
  protected override readonly operation = 'gateways.remove';
}
