import { Command } from 'clipanion';
import { unixMs } from '../../../base/index.js';
import { print, windowWidth, type CliContext } from '../../../cli/index.js';
import { debugFlag, jsonFlag } from '../options/engine-flags.js';
import { printJson } from '../print-json.js';
import { serverFlag } from '../remote/flags.js';

/** `native-engine ps`: the models that a running server has in memory. */
export class PsCommand extends Command<CliContext> {
  static override paths = [['ps']];
  static override usage = Command.Usage({
    description: 'Lists the models that a running server has in memory.',
    examples: [
      ['On this machine', '$0 ps'],
      ['On another', '$0 ps --host engine.example:11434'],
    ],
  });

  host = serverFlag();
  json = jsonFlag('an array of models');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const { connectRemote } = await import('../remote/connect.js');
    const { listLoaded, renderLoaded } = await import('../remote/loaded-models.js');
    const loaded = await interrupts.during((signal) =>
      listLoaded(connectRemote(this.host, terminal, signal), unixMs()),
    );
    if (this.json) await printJson(terminal, loaded);
    else await print(terminal.stdout, renderLoaded(loaded, unixMs(), windowWidth(terminal)), terminal.closed);
    return 0;
  }
}
