import { Command } from 'clipanion';
import { csvFlag } from '../../flags.js';
import { AuditCommand } from './audit-command.js';

/** `hosted-api audit export`. */
export class ExportAuditCommand extends AuditCommand {
  static override paths = [['audit', 'export']];
  static override usage = Command.Usage({
    description: 'Prints the audit log in its order: a line of JSON for each entry, and a checksum.',
    details:
      'The last line has the number of entries and the SHA-256 of all lines before it. With --csv it is a table without one. ' +
      'That a copy was taken is in the log itself.',
    examples: [
      ['All of it', '$0 audit export > audit.ndjson'],
      ['A month for a spreadsheet', '$0 audit export --from 2026-11-01 --to 2026-12-01 --csv > november.csv'],
    ],
  });

  csv = csvFlag('the entries');

  async execute(): Promise<number> {
    const { exportAudit } = await import('../../export-audit.js');
    await exportAudit(this, this.context.terminal, { ...this.filters(), format: this.csv ? 'csv' : 'ndjson' });
    return 0;
  }
}
