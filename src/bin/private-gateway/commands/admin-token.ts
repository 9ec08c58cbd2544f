import { Command } from 'clipanion';
import type { CliContext } from '../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../flags.js';

/** `private-gateway admin-token`. */
export class AdminTokenCommand extends Command<CliContext> {
  static override paths = [['admin-token']];
  static override usage = Command.Usage({
    description: 'Makes an admin token, and prints it this once.',
    details: 'It takes the place of the one before. The gateway has its hash; /metrics and the admin page ask for it.',
    examples: [['A first or a new one', '$0 admin-token']],
  });

  config = configFlag();
  json = jsonFlag('the token');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { operate } = await import('../operate.js');
    const render = ({ secret }: { readonly secret: string }): string =>
      `${secret}\n\nThis is the admin token. It is shown this once, and stored as a hash; the one before is no longer taken.\n`;
    await operate(this, this.context.terminal, { operation: 'admin-token.create' }, render);
    return 0;
  }
}
