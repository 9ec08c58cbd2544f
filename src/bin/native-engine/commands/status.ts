import { Command } from 'clipanion';
import { unixMs } from '../../../base/index.js';
import { print, windowWidth, type CliContext } from '../../../cli/index.js';
import { debugFlag, jsonFlag } from '../options/engine-flags.js';
import { printJson } from '../print-json.js';
import { serverFlag } from '../remote/flags.js';

/** `native-engine status`: what a running server is, and how it is. */
export class StatusCommand extends Command<CliContext> {
  static override paths = [['status']];
  static override usage = Command.Usage({
    description: 'Describes a running server and its state: models, kernel, live tree of actors.',
    examples: [
      ['On this machine', '$0 status'],
      ['For a program', '$0 status --json'],
    ],
  });

  host = serverFlag();
  json = jsonFlag('everything');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const { connectRemote } = await import('../remote/connect.js');
    const { readStatus, renderStatus } = await import('../remote/server-status.js');
    const found = await interrupts.during((signal) => readStatus(connectRemote(this.host, terminal, signal), unixMs()));
    if (this.json) await printJson(terminal, found);
    else await print(terminal.stdout, renderStatus(found, unixMs(), windowWidth(terminal)), terminal.closed);
    return 0;
  }
}
