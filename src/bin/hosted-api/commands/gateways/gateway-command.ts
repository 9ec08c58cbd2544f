import { Command } from 'clipanion';
import { argument, type CliContext } from '../../../../cli/index.js';
import type { OperationName } from '../../../../hosted/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** The commands that do one thing with one gateway. */
export abstract class GatewayCommand extends Command<CliContext> {
  protected abstract readonly operation: OperationName;
  protected readonly more: object = {};

  slug = argument('SLUG', { description: 'the gateway, from gateways list' });
  config = configFlag();
  json = jsonFlag('what became of it');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { operate } = await import('../../operate.js');
    const { renderGateway } = await import('../../render/render-gateways.js');
    const asked = { operation: this.operation, params: { slug: this.slug, ...this.more } };
    await operate(this, this.context.terminal, asked, renderGateway);
    return 0;
  }
}
