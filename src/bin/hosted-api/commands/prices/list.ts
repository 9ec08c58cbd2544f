import { Command } from 'clipanion';
import { switchOption, textOption, type CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** `hosted-api prices list`. */
export class ListPricesCommand extends Command<CliContext> {
  static override paths = [['prices', 'list']];
  static override usage = Command.Usage({
    description: 'Lists prices: the newest version of each, or all of them.',
    details: 'Input and output are units of the currency a million tokens.',
    examples: [
      ['Of a gateway', '$0 prices list --provider pgw/berlin'],
      ['How one came to be', '$0 prices list --provider openai --model gpt-5 --all'],
    ],
  });

  config = configFlag();
  provider = textOption('--provider', { value: 'ID', description: 'only of this provider', default: 'all' });
  model = textOption('--model', { value: 'ID', description: 'only of this model', default: 'all' });
  all = switchOption('--all', { description: 'versions that are not in force any more too' });
  json = jsonFlag('the prices');
  debug = debugFlag();

  async execute(): Promise<number> {
    const [{ operateOnPages }, { renderPrices }] = await Promise.all([
      import('../../operate.js'),
      import('../../render/render-prices.js'),
    ]);
    const { provider, model, all } = this;
    const params = { all, ...(provider !== undefined && { provider }), ...(model !== undefined && { model }) };
    await operateOnPages(
      this,
      this.context.terminal,
      { operation: 'prices.list', list: 'prices', params },
      renderPrices,
    );
    return 0;
  }
}
