import { Command } from 'clipanion';
import type { CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** `hosted-api gateways list`. */
export class ListGatewaysCommand extends Command<CliContext> {
  static override paths = [['gateways', 'list']];
  static override usage = Command.Usage({
    description: 'Lists the connected gateways: what they offer, and whether they can be asked.',
    details: 'The models of one that cannot be asked stay as they were read last; STALE SINCE says when that began.',
    examples: [['All gateways', '$0 gateways list']],
  });

  config = configFlag();
  json = jsonFlag('the gateways');
  debug = debugFlag();

  async execute(): Promise<number> {
    const [{ operate }, { renderGateways }] = await Promise.all([
      import('../../operate.js'),
      import('../../render/render-gateways.js'),
    ]);
    await operate(this, this.context.terminal, { operation: 'gateways.list' }, renderGateways);
    return 0;
  }
}
