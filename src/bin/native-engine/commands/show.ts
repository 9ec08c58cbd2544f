import { Command } from 'clipanion';
import { argument, print, switchOption, windowWidth, type CliContext } from '../../../cli/index.js';
import { toDirectories } from '../options/directories.js';
import { debugFlag, jsonFlag, modelsDirFlag } from '../options/engine-flags.js';
import { printJson } from '../print-json.js';

/** `native-engine show <model>`: what a model says of itself. It is not loaded. */
export class ShowCommand extends Command<CliContext> {
  static override paths = [['show']];
  static override usage = Command.Usage({
    description: 'Describes a model: architecture, tensors, template, licence, parameters.',
    examples: [
      ['In short', '$0 show demo'],
      ['A file', '$0 show ./model.Q4_K_M.gguf'],
      ['Every tensor', '$0 show demo --tensors'],
      ['The chat template alone', '$0 show demo --template'],
    ],
  });

  model = argument('model', {
    description:
      'a name of list, an id such as org/name or org/name:Q8_0, a .gguf file, or the directory of an artifact',
  });
  tensors = switchOption('--tensors', { description: 'each tensor, instead of how many there are', group: 'Output' });
  template = switchOption('--template', { description: 'the chat template and nothing else', group: 'Output' });
  json = jsonFlag('everything');
  modelsDir = modelsDirFlag();
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal } = this.context;
    const { openUserStore } = await import('../models/open-user-store.js');
    const { findToShow } = await import('../models/find-for-user.js');
    const { describeShown, renderShown } = await import('../models/describe-shown.js');
    const store = openUserStore(await toDirectories(this, terminal.env));
    const shown = await describeShown(await findToShow(store, this.model));
    if (this.json) await printJson(terminal, shown);
    else if (this.template) await print(terminal.stdout, `${shown.template ?? ''}\n`, terminal.closed);
    else await print(terminal.stdout, renderShown(shown, this.tensors, windowWidth(terminal)), terminal.closed);
    return 0;
  }
}
