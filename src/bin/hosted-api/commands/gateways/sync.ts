import { Command } from 'clipanion';
import { GatewayCommand } from './gateway-command.js';

/** `hosted-api gateways sync`. */
export class SyncGatewayCommand extends GatewayCommand {
  static override paths = [['gateways', 'sync']];
  static override usage = Command.Usage({
    description: 'Asks a gateway for its models now.',
    details:
      'It is asked every five minutes anyway. The exit status is 4 where it cannot be asked; its models stay then.',
    examples: [['By its slug', '$0 gateways sync berlin']],
  });
  protected override readonly operation = 'gateways.sync';
}
