import { Command } from 'clipanion';
import { type CliContext } from '../../../cli/index.js';
import {
  allowPublicFlag,
  cidrFlag,
  debugFlag,
  jsonFlag,
  portsFlag,
  timeoutFlag,
  toScanOptions,
  withScanFlags,
} from '../flags.js';

/** `private-gateway discover`: what a scan finds, and nothing is written. */
export class DiscoverCommand extends Command<CliContext> {
  static override paths = [['discover']];
  static override usage = Command.Usage({
    description: 'Looks for model servers on this machine or in a range, and writes nothing.',
    details:
      'It sends GETs without credentials, follows no redirect, and names a server by what its answers say. With --json each ' +
      'line is a server, as it is found, and the last line has the counts.',
    examples: [
      ['This machine', '$0 discover'],
      ['A network, for a program', '$0 discover --cidr 192.168.1.0/24 --json'],
    ],
  });

  cidr = cidrFlag();
  allowPublic = allowPublicFlag();
  ports = portsFlag();
  timeout = timeoutFlag();
  json = jsonFlag('a line for each server, and a last one with counts,');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const options = toScanOptions(this);
    // Loaded here, so that help and refusals do not wait for it.
    const { discover } = await import('../discover.js');
    const again = withScanFlags('private-gateway discover', this);
    const output = { json: this.json, again };
    await interrupts.during((signal) => discover({ ...options, signal }, output, terminal));
    return 0;
  }
}
