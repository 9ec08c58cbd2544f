import { Command } from 'clipanion';
import { argument, print, type CliContext } from '../../../cli/index.js';
import { debugFlag, jsonFlag } from '../options/engine-flags.js';
import { printJson } from '../print-json.js';
import { serverFlag } from '../remote/flags.js';

/** `native-engine stop <model>`: the name that users of Ollama know for `unload`. */
export class StopCommand extends Command<CliContext> {
  static override paths = [['stop']];
  static override usage = Command.Usage({
    description: 'Unloads a model of a running server; the same as unload.',
    details: 'The server itself goes on. It ends with Ctrl-C, or SIGTERM, where it runs.',
    examples: [['One', '$0 stop org/name']],
  });

  model = argument('model', { description: 'a name of ps' });
  host = serverFlag();
  json = jsonFlag('what became of it');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const { connectRemote } = await import('../remote/connect.js');
    const { sayOfUnloaded, unloadOn } = await import('../remote/unload-on.js');
    const stopped = await interrupts.during((signal) =>
      unloadOn(connectRemote(this.host, terminal, signal), this.model, signal),
    );
    if (this.json) await printJson(terminal, stopped);
    else await print(terminal.stdout, sayOfUnloaded(stopped), terminal.closed);
    return 0;
  }
}
