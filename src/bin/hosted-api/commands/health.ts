import { Command } from 'clipanion';
import type { CliContext } from '../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../flags.js';

/** `hosted-api health`. */
export class HealthCommand extends Command<CliContext> {
  static override paths = [['health']];
  static override usage = Command.Usage({
    description: 'Shows how the node of this machine does: database, upstreams, requests, actors.',
    details: 'The exit status is 1 where no node runs here, or its database does not answer.',
    examples: [['At a glance', '$0 health']],
  });

  config = configFlag();
  json = jsonFlag('all of it');
  debug = debugFlag();

  async execute(): Promise<number> {
    const [{ operate }, { renderHealth }] = await Promise.all([
      import('../operate.js'),
      import('../render/render-health.js'),
    ]);
    const { node } = await operate(this, this.context.terminal, { operation: 'health.show' }, renderHealth);
    return node?.database_ready === true ? 0 : 1;
  }
}
