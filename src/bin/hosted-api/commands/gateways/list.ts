import { Command } from 'clipanion';
import type { CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** `hosted-api gateways list`. */
export class ListGatewaysCommand extends Command<CliContext> {
  static override paths = [['gateways', 'list']];
  static override usage = Command.Usage({
    description: 'Lists the connected gateways: their models, and whether they can be reached.',
    details: 'A gateway that cannot be reached keeps its last known models; STALE SINCE says since when.',
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
