import { Command } from 'clipanion';
import { parseNumber, parseOptionalNumber, textOption, type CliContext } from '../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../flags.js';

/** `private-gateway audit list`. */
export class ListAuditCommand extends Command<CliContext> {
  static override paths = [['audit', 'list']];
  static override usage = Command.Usage({
    description: 'Shows who changed what, from which value to which, a sentence for each action.',
    details: 'With --json each line is an entry, with its sentence and every value before and after.',
    examples: [
      ['The last fifty', '$0 audit list'],
      ['All of it, for a program', '$0 audit list --after 0 --limit 1000 --json'],
    ],
  });

  config = configFlag();
  limit = textOption('--limit', { value: 'N', description: 'how many entries' }, '50');
  after = textOption('--after', {
    value: 'NUMBER',
    description: 'only those behind the entry of this number, the oldest first',
    default: 'the newest',
  });
  json = jsonFlag('a line for each entry');
  debug = debugFlag();

  async execute(): Promise<number> {
    const limit = parseNumber('--limit', this.limit, { min: 1, max: 1_000, whole: true });
    const after = parseOptionalNumber('--after', this.after, { min: 0, max: Number.MAX_SAFE_INTEGER, whole: true });
    const params = { limit, ...(after !== undefined && { after }) };
    const [{ operate }, { renderEntries }] = await Promise.all([
      import('../operate.js'),
      import('../../render-audit.js'),
    ]);
    const { json } = this;
    const lines = (result: Entries): string => result.entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    const options = { config: this.config, json: false, ...(json && { raw: lines }) };
    await operate<Entries>(options, this.context.terminal, { operation: 'audit.read', params }, renderEntries);
    return 0;
  }
}

type Entries = Parameters<typeof import('../../render-audit.js').renderEntries>[0];
