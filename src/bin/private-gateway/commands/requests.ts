import { Command } from 'clipanion';
import { AppError } from '../../../base/index.js';
import {
  fromOption,
  parseNumber,
  readTimeRange,
  switchOption,
  textOption,
  toOption,
  type CliContext,
} from '../../../cli/index.js';
import { configFlag, csvFlag, debugFlag, jsonFlag } from '../flags.js';

/** `private-gateway requests`. */
export class RequestsCommand extends Command<CliContext> {
  static override paths = [['requests']];
  static override usage = Command.Usage({
    description: 'Shows the newest requests: metadata, no prompts and no answers.',
    details: 'With -f it prints later ones as they come, until Ctrl-C.',
    examples: [
      ['The last fifty', '$0 requests'],
      ['As they come', '$0 requests -f'],
      ['For a spreadsheet', '$0 requests --from 2026-11-01 --to 2026-12-01 --limit 1000 --csv'],
    ],
  });

  config = configFlag();
  follow = switchOption('--follow', { also: '-f', description: 'print later ones as they come' });
  limit = textOption('--limit', { value: 'N', description: 'how many at first' }, '50');
  key = textOption('--key', { value: 'ID', description: 'only of this key', default: 'all' });
  from = fromOption();
  to = toOption();
  json = jsonFlag('a line for each request');
  csv = csvFlag('the requests');
  debug = debugFlag();

  async execute(): Promise<number> {
    const limit = parseNumber('--limit', this.limit, { min: 1, max: 10_000, whole: true });
    const { terminal, interrupts } = this.context;
    const { showRequests } = await import('../show-requests.js');
    const { config, follow, json, csv, key, to } = this;
    if (follow && to !== undefined)
      throw new AppError('invalid_option', '--follow and --to are given both; give one.', { option: '--to' });
    const time = readTimeRange(this);
    await showRequests(
      { config, follow, format: json ? 'json' : csv ? 'csv' : 'text', key, limit, time },
      terminal,
      interrupts,
    );
    return 0;
  }
}
