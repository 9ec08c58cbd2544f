import { Command } from 'clipanion';
import type { CliContext } from '../../../cli/index.js';
import type { AuditCheckResult } from '../../render-audit-check.js';
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
    const [{ operate }, { renderAuditCheck }] = await Promise.all([
      import('../operate.js'),
      import('../../render-audit-check.js'),
    ]);
    const { ok } = await operate<AuditCheckResult>(
      this,
      this.context.terminal,
      { operation: 'audit.verify' },
      renderAuditCheck,
    );
    return ok ? 0 : 1;
  }
}
