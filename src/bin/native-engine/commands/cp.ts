import { Command } from 'clipanion';
import { argument, openStatusLine, print, sizeText, switchOption, type CliContext } from '../../../cli/index.js';
import { toDirectories } from '../options/directories.js';
import { debugFlag, jsonFlag, modelsDirFlag } from '../options/engine-flags.js';
import { printJson } from '../print-json.js';

/** `native-engine cp <model> <name>`: a model under another name. */
export class CpCommand extends Command<CliContext> {
  static override paths = [['cp']];
  static override usage = Command.Usage({
    description: 'Gives a model another name besides its own.',
    details:
      'The copy shares the files where the file system allows it, and then takes no room. Either may be removed.',
    examples: [
      ['A name of your own', '$0 cp org/name mine'],
      ['In the place of a model that has it', '$0 cp org/name mine --force'],
    ],
  });

  model = argument('model', { description: 'a name of list, or an id such as org/name' });
  name = argument('name', { description: 'what the copy is called: name, org/name or name:tag' });
  force = switchOption('--force', { description: 'replace a model that has the new name', group: 'Files' });
  json = jsonFlag('what was made');
  modelsDir = modelsDirFlag();
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const { openUserStore } = await import('../models/open-user-store.js');
    const { findForUser } = await import('../models/find-for-user.js');
    const store = openUserStore(await toDirectories(this, terminal.env));
    const from = await findForUser(store, this.model);
    const made = await interrupts.during(async (signal) => {
      using line = openStatusLine(terminal);
      const onProgress = (done: number, total: number): void => {
        line.show(
          done / Math.max(1, total),
          (bar) => `copying ${from.name}: ${bar}${sizeText(done)} of ${sizeText(total)}`,
        );
      };
      return await store.copy(from, this.name, { mayReplace: this.force, signal, onProgress });
    });
    if (this.json) await printJson(terminal, { from: from.name, name: made.name, path: made.path });
    else await print(terminal.stdout, `${made.name} is ${from.name}\n`, terminal.closed);
    return 0;
  }
}
