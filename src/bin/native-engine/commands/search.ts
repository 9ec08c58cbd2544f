import { Command } from 'clipanion';
import {
  countText,
  parseNumber,
  print,
  ranges,
  renderTable,
  restArguments,
  sizeText,
  textOption,
  type CliContext,
} from '../../../cli/index.js';
import { toDirectories } from '../options/directories.js';
import { debugFlag, jsonFlag, memoryBudgetFlag, modelsDirFlag } from '../options/engine-flags.js';
import { toEngineOptions } from '../options/engine-options.js';
import type { SearchOutput } from '../outputs/hub.js';
import { printJson } from '../print-json.js';

/** Models that are shown by default. */
const DEFAULT_LIMIT = 10;

/** `native-engine search <words>`: models of the hub, with their sizes and what fits here. */
export class SearchCommand extends Command<CliContext> {
  static override paths = [['search']];
  static override usage = Command.Usage({
    description: 'Finds models on the hub, the most downloaded first, and says which fit here.',
    details: 'Sizes are those of what a pull would take. HF_TOKEN, HF_ENDPOINT, HF_HUB_OFFLINE and HTTPS_PROXY hold.',
    examples: [
      ['By words of its name', '$0 search qwen3 gguf'],
      ['More of them', '$0 search smollm --limit 30'],
    ],
  });

  words = restArguments('word', { description: 'words of its name' });
  limit = textOption('--limit', {
    value: 'N',
    description: 'models to show',
    default: String(DEFAULT_LIMIT),
    group: 'Output',
  });
  json = jsonFlag('what was found');
  memoryBudget = memoryBudgetFlag();
  modelsDir = modelsDirFlag();
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const limit = this.limit === undefined ? DEFAULT_LIMIT : parseNumber('--limit', this.limit, ranges.searchLimit);
    const { memoryBudgetBytes } = toEngineOptions(this);
    const { resolveOptions, searchAndAssess } = await import('../../../models/index.js');
    const { openHub, readHubSettings } = await import('../../../hub/index.js');
    const { openUserStore } = await import('../models/open-user-store.js');
    const { memoryBudgetBytes: budgetBytes } = resolveOptions({ memoryBudgetBytes });
    const { directory: modelsDir } = openUserStore(await toDirectories(this, terminal.env));
    await using hub = openHub(await readHubSettings(terminal.env));
    const words = this.words.join(' ');
    const found = await interrupts.during((signal) =>
      searchAndAssess(hub, words, { limit, modelsDir, budgetBytes, signal }),
    );
    const rows: SearchOutput = found.map(({ found: model, quant = null, estimate, problem = null }) => ({
      repo: model.repo,
      downloads: model.downloads,
      likes: model.likes,
      gated: model.isGated,
      license: model.tags.find((tag) => tag.startsWith('license:'))?.slice('license:'.length) ?? null,
      quant,
      downloadBytes: estimate?.downloadBytes ?? null,
      memoryBytes: estimate?.memoryBytes ?? null,
      fits: estimate?.fits ?? null,
      problem,
    }));
    if (this.json) await printJson(terminal, rows);
    else await print(terminal.stdout, render(rows, words), terminal.closed);
    return 0;
  }
}

function render(rows: SearchOutput, words: string): string {
  if (rows.length === 0) return `the hub has no model with a name like ${JSON.stringify(words)}\n`;
  const lines = rows.map((row) => [
    row.repo,
    row.quant ?? (row.downloadBytes === null ? '' : 'safetensors'),
    row.downloadBytes === null ? '' : sizeText(row.downloadBytes),
    row.downloadBytes === null ? 'cannot be pulled' : row.fits === true ? 'yes' : 'no',
    countText(row.downloads),
    row.gated ? 'gated' : '',
  ]);
  return renderTable(['NAME', 'QUANT', 'SIZE', 'FITS', 'DOWNLOADS', ''], lines, [2, 4]);
}
