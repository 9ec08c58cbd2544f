import { Command } from 'clipanion';
import { argument, type CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** `hosted-api prices import`. */
export class ImportPricesCommand extends Command<CliContext> {
  static override paths = [['prices', 'import']];
  static override usage = Command.Usage({
    description: 'Adds prices from a file of CSV, YAML or JSON: all of them or none.',
    details:
      'Fields: provider (an id of hosted.yaml, or pgw/SLUG), model, currency, input, cached_input, cache_write and output in units ' +
      'a million tokens, request, image and audio in units each, effective_from. A price that differs from the newest becomes a version ' +
      'of its own; requests are charged by the version in force when they begin.',
    examples: [['From a table', '$0 prices import prices.csv']],
  });

  file = argument('FILE', { description: 'prices.csv, prices.yaml or prices.json' });
  config = configFlag();
  json = jsonFlag('how many were added');
  debug = debugFlag();

  async execute(): Promise<number> {
    const [{ readPrices }, { operate }, { renderImported }] = await Promise.all([
      import('../../read-prices.js'),
      import('../../operate.js'),
      import('../../render/render-prices.js'),
    ]);
    const params = { prices: await readPrices(this.file) };
    await operate(this, this.context.terminal, { operation: 'prices.import', params }, renderImported);
    return 0;
  }
}
