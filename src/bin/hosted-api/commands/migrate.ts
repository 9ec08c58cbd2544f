import { Command } from 'clipanion';
import type { CliContext } from '../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../flags.js';

/** `hosted-api migrate`. */
export class MigrateCommand extends Command<CliContext> {
  static override paths = [['migrate']];
  static override usage = Command.Usage({
    description: 'Brings the tables of the database to the newest version.',
    details:
      'serve does the same. With PostgreSQL it holds a lock, and other nodes wait; a database that a newer version ' +
      'has written is refused.',
    examples: [['Before nodes are replaced', '$0 migrate']],
  });

  config = configFlag();
  json = jsonFlag('how many steps ran');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { migrate } = await import('../migrate.js');
    await migrate(this.config, this.json, this.context.terminal);
    return 0;
  }
}
