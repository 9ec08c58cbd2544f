import { Command } from 'clipanion';
import { AppError } from '../../../base/index.js';
import { optionalArgument, print, switchOption, type CliContext } from '../../../cli/index.js';
import { debugFlag, jsonFlag } from '../options/engine-flags.js';
import { printJson } from '../print-json.js';
import { serverFlag } from '../remote/flags.js';

/** `native-engine unload <model>`: has a running server give back the memory of a model. */
export class UnloadCommand extends Command<CliContext> {
  static override paths = [['unload']];
  static override usage = Command.Usage({
    description: 'Has a running server give back the memory of a model.',
    details: 'Running answers end first. The next request for the model loads it again.',
    examples: [
      ['One', '$0 unload org/name'],
      ['All', '$0 unload --all'],
    ],
  });

  model = optionalArgument('model', { description: 'a name of ps; left out with --all' });
  all = switchOption('--all', { description: 'every model that is loaded', group: 'Network' });
  host = serverFlag();
  json = jsonFlag('what became of each');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { model, all, host } = this;
    if (all === (model !== undefined)) {
      const message = `unload: give either a model or --all. Example: native-engine unload demo`;
      throw new AppError('invalid_arguments', message, { command: 'unload' });
    }
    const { terminal, interrupts } = this.context;
    const { connectRemote } = await import('../remote/connect.js');
    const { sayOfUnloaded, unloadOn } = await import('../remote/unload-on.js');
    const unloaded = await interrupts.during((signal) =>
      unloadOn(connectRemote(host, terminal, signal), model, signal),
    );
    if (this.json) await printJson(terminal, unloaded);
    else await print(terminal.stdout, sayOfUnloaded(unloaded), terminal.closed);
    return 0;
  }
}
