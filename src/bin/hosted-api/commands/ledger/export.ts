import { resolve } from 'node:path';
import { Command } from 'clipanion';
import { AppError } from '../../../../base/index.js';
import {
  fromOption,
  readTimeRange,
  requiredOption,
  switchOption,
  toOption,
  type CliContext,
} from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** `hosted-api ledger export`. */
export class ExportLedgerCommand extends Command<CliContext> {
  static override paths = [['ledger', 'export']];
  static override usage = Command.Usage({
    description: 'Writes the ledger to a file, a line of JSON for each group.',
    details:
      'Amounts are decimal texts. A group holds the entries of one transaction, and sums to zero. An existing file is not touched: ' +
      'the error says what is in it. --append adds the groups after its last one, --replace writes it again.',
    examples: [
      ['A year', '$0 ledger export --config hosted.yaml --out 2026.ndjson --from 2026-01-01 --to 2027-01-01'],
      ['What came since', '$0 ledger export --config hosted.yaml --out ledger.ndjson --append'],
    ],
  });

  config = configFlag();
  out = requiredOption('--out', { value: 'FILE', description: 'where it is written', group: 'Files' });
  append = switchOption('--append', { description: 'add the groups that the file lacks', group: 'Files' });
  replace = switchOption('--replace', { description: 'write a file anew that is there', group: 'Files' });
  from = fromOption();
  to = toOption();
  json = jsonFlag('what was written');
  debug = debugFlag();

  async execute(): Promise<number> {
    const [{ operate }, { renderExported }] = await Promise.all([
      import('../../operate.js'),
      import('../../render/render-ledger.js'),
    ]);
    if (this.append && this.replace)
      throw new AppError('invalid_option', '--append and --replace are given both; give one.', { option: '--append' });
    const params = {
      path: resolve(this.out),
      if_exists: this.append ? 'append' : this.replace ? 'replace' : 'refuse',
      ...readTimeRange(this),
    };
    await operate(this, this.context.terminal, { operation: 'ledger.export', params }, renderExported);
    return 0;
  }
}
