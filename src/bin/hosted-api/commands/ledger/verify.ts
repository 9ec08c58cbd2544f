import { Command } from 'clipanion';
import type { CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** `hosted-api ledger verify`. */
export class VerifyLedgerCommand extends Command<CliContext> {
  static override paths = [['ledger', 'verify']];
  static override usage = Command.Usage({
    description: 'Checks the books: sums of groups, balances, and the chain of hashes.',
    details: 'The output lists every fault; the exit status is 1 where there is one.',
    examples: [['All of it', '$0 ledger verify']],
  });

  config = configFlag();
  json = jsonFlag('what was found');
  debug = debugFlag();

  async execute(): Promise<number> {
    const [{ operate }, { renderVerified }] = await Promise.all([
      import('../../operate.js'),
      import('../../render/render-ledger.js'),
    ]);
    const { ok } = await operate(this, this.context.terminal, { operation: 'ledger.verify' }, renderVerified);
    return ok ? 0 : 1;
  }
}
