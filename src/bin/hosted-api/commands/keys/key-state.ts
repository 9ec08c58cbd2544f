import { Command, type Usage } from 'clipanion';
import { argument, type CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** The commands that put a key out of force or into it. */
export abstract class KeyStateCommand extends Command<CliContext> {
  protected abstract readonly state: 'active' | 'disabled';

  keyId = argument('KEY', { description: 'the id of the key, from keys list' });
  config = configFlag();
  json = jsonFlag('the key');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { operate } = await import('../../operate.js');
    const { renderKey } = await import('../../render/render-keys.js');
    const asked = { operation: 'keys.set-state', params: { id: this.keyId, state: this.state } } as const;
    await operate(this, this.context.terminal, asked, renderKey);
    return 0;
  }
}

/** What help says of one of them. */
export function keyStateUsage(name: string, description: string): Usage {
  return Command.Usage({
    description,
    details: 'Every node knows it within half a minute, with PostgreSQL at once.',
    examples: [['By its id', `$0 keys ${name} hk_abc`]],
  });
}
