import { resolve } from 'node:path';
import { Command } from 'clipanion';
import { requiredOption, type CliContext } from '../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../flags.js';

/** `private-gateway backup`. */
export class BackupCommand extends Command<CliContext> {
  static override paths = [['backup']];
  static override usage = Command.Usage({
    description: 'Copies the databases of a gateway, while it runs or not.',
    details: 'The copy is a data directory: a gateway with data_dir set to it goes on from there.',
    examples: [['Into a new directory', '$0 backup --out backup-2026-11-26']],
  });

  config = configFlag();
  out = requiredOption('--out', { value: 'DIR', description: 'a directory that is not there yet', group: 'Files' });
  json = jsonFlag('where the copy is');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { operate } = await import('../operate.js');
    const params = { directory: resolve(this.out) };
    const render = ({ directory }: { readonly directory: string }): string =>
      `The databases are copied to ${directory}.\n`;
    await operate(this, this.context.terminal, { operation: 'backup', params }, render);
    return 0;
  }
}
