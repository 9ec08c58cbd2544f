import { Command } from 'clipanion';
import { parseNumber, textOption } from '../../../../cli/index.js';
import { jsonFlag } from '../../flags.js';
import { AuditCommand } from './audit-command.js';

/** `hosted-api audit list`. */
export class ListAuditCommand extends AuditCommand {
  static override paths = [['audit', 'list']];
  static override usage = Command.Usage({
    description: 'Shows who changed what, from which value to which, a sentence for each action.',
    details: 'The newest entries, in their order. With --json each has its sentence and every value before and after.',
    examples: [
      ['The last fifty', '$0 audit list'],
      ['Changes of keys', '$0 audit list --action key.'],
      ['What was refused', '$0 audit list --outcome refused --limit 10'],
    ],
  });

  limit = textOption('--limit', { value: 'N', description: 'how many entries' }, '50');
  json = jsonFlag('the entries');

  async execute(): Promise<number> {
    const limit = parseNumber('--limit', this.limit, { min: 1, max: 1_000, whole: true });
    const [{ operate }, { renderEntries }] = await Promise.all([
      import('../../operate.js'),
      import('../../render/render-audit.js'),
    ]);
    const params = { ...this.filters(), limit };
    await operate(this, this.context.terminal, { operation: 'audit.list', params }, renderEntries);
    return 0;
  }
}
