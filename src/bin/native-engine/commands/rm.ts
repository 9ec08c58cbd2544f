import { Command } from 'clipanion';
import { print, restArguments, sizeText, type CliContext } from '../../../cli/index.js';
import { toDirectories } from '../options/directories.js';
import { cacheDirFlag, debugFlag, jsonFlag, modelsDirFlag } from '../options/engine-flags.js';
import { printJson } from '../print-json.js';
import type { RmOutput } from '../outputs/models.js';

/** `native-engine rm <model>...`: removes models from the models directory. */
export class RmCommand extends Command<CliContext> {
  static override paths = [['rm']];
  static override usage = Command.Usage({
    description: 'Removes models from the models directory.',
    details:
      'All names are checked before anything is removed. A link is removed, and its target stays. A GGUF file goes with the ' +
      'artifact that was made of it. A process that has the model open keeps it until it ends.',
    examples: [
      ['One', '$0 rm org/name'],
      ['Several', '$0 rm org/name:Q8_0 mine'],
    ],
  });

  models = restArguments('model', { description: 'names of list, or ids such as org/name' });
  json = jsonFlag('what was removed');
  modelsDir = modelsDirFlag();
  cacheDir = cacheDirFlag();
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal } = this.context;
    const { openUserStore } = await import('../models/open-user-store.js');
    const { findForUser, refuseDemo } = await import('../models/find-for-user.js');
    const { removeForUser } = await import('../models/remove-for-user.js');
    const directories = await toDirectories(this, terminal.env);
    const store = openUserStore(directories);
    const found = new Map<string, Awaited<ReturnType<typeof findForUser>>>();
    for (const id of this.models) {
      const model = await findForUser(store, id);
      refuseDemo(model, 'removed');
      found.set(model.name, model);
    }
    const removed: RmOutput = [];
    for (const model of found.values()) {
      const freedBytes = await removeForUser(store, model, directories.cacheDir);
      removed.push({ name: model.name, freedBytes });
      if (!this.json) {
        await print(terminal.stdout, `removed ${model.name} (${sizeText(freedBytes)} freed)\n`, terminal.closed);
      }
    }
    if (this.json) await printJson(terminal, removed);
    return 0;
  }
}
