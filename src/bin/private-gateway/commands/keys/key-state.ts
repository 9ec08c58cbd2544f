import { Command, type Usage } from 'clipanion';
import { argument, type CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** The commands that put a key in force or out of it. */
export abstract class KeyStateCommand extends Command<CliContext> {
  protected abstract readonly state: 'active' | 'disabled' | 'revoked';

  keyId = argument('KEY', { description: 'the id of the key, or its name where no other key has it' });
  config = configFlag();
  json = jsonFlag('the key');
  debug = debugFlag();

  async execute(): Promise<number> {
    const [{ operate }, { renderKey }] = await Promise.all([
      import('../../operate.js'),
      import('../../render-keys.js'),
    ]);
    const params = { id: this.keyId, state: this.state };
    await operate(this, this.context.terminal, { operation: 'keys.set-state', params }, renderKey);
    return 0;
  }
}

/** What help says of one of them. */
export function keyStateUsage(name: string, description: string): Usage {
  return Command.Usage({
    description,
    details: 'What a key has under way ends within a second when it is disabled or revoked.',
    examples: [
      ['By its id', `$0 keys ${name} vk_abc`],
      ['By its name', `$0 keys ${name} ci`],
    ],
  });
}
