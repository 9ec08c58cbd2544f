import { Command } from 'clipanion';
import type { CliContext } from '../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../flags.js';

/** `private-gateway audit verify`. */
export class VerifyAuditCommand extends Command<CliContext> {
  static override paths = [['audit', 'verify']];
  static override usage = Command.Usage({
    description: 'Checks that no entry of the audit log was changed or taken out.',
    details: 'Each entry has the hash of the one before it. The exit status is 1 where one does not follow.',
    examples: [['The whole log', '$0 audit verify']],
  });

  config = configFlag();
  json = jsonFlag('what was found');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { operate } = await import('../operate.js');
    const render = ({ ok, entries, first_bad: firstBad }: Verified): string =>
      ok
        ? `The audit log is whole: ${entries} ${entries === 1 ? 'entry' : 'entries, each with the hash of the one before it'}.\n`
        : `The audit log was changed: entry ${String(firstBad)} does not follow from the one before it.\n`;
    const { ok } = await operate<Verified>(this, this.context.terminal, { operation: 'audit.verify' }, render);
    return ok ? 0 : 1;
  }
}

interface Verified {
  readonly ok: boolean;
  readonly entries: number;
  readonly first_bad: number | null;
}
