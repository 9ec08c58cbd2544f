import { Command } from 'clipanion';
import { type BenchResult, measure } from '../bench/bench-measure.js';
import { openBenchModel, readQuant, shapePrefix } from '../bench/bench-model.js';
import {
  type CliContext,
  argument,
  switchOption,
  textOption,
  parseChoice,
  parseNumber,
  parseOptionalNumber,
  ranges,
  print,
} from '../../../cli/index.js';
import { openProgressLine } from '../progress.js';
import { type Directories, toDirectories } from '../directories.js';
import {
  backendFlag,
  cacheDirFlag,
  debugFlag,
  kernelFlag,
  kvCacheFlag,
  memoryBudgetFlag,
  modelsDirFlag,
  noCacheFlag,
  placementFlag,
  threadsFlag,
} from '../engine-flags.js';
import { toEngineOptions } from '../engine-options.js';
import { locateNamed } from '../locate-named.js';

/** `native-engine bench <model>`: speed of prefill, of decode and of speculation, as a table or one JSON line. */
export class BenchCommand extends Command<CliContext> {
  static override paths = [['bench']];
  static override usage = Command.Usage({
    description: 'Measures prefill and decode.',
    details:
      'A shape is a model with random weights, kept in the cache directory. Values are medians over the repeats. Decode is one token after the other; what guessing ahead makes of it (prompt-lookup speculation) is told beside it, with the share of the guesses that was right. A model with random weights repeats itself, so that its guesses say little.',
    examples: [
      ['The demo model', '$0 bench demo --json'],
      ['A large shape', '$0 bench shape:1.1b --quant q4 --threads 2 --json'],
      ['A GGUF file, as another engine would run it', '$0 bench ./model.Q4_0.gguf --json'],
    ],
  });

  model = argument('model', {
    description: 'demo, the directory of an artifact, a .gguf file, shape:1.1b, shape:0.5b or shape:8b',
  });
  quant = textOption('--quant', { value: 'q4|q8', description: 'quantization of a shape', group: 'Measurement' }, 'q4');
  promptTokens = textOption(
    '--prompt-tokens',
    { value: 'N', description: 'tokens of prefill', group: 'Measurement' },
    '256',
  );
  genTokens = textOption('--gen-tokens', { value: 'N', description: 'tokens of decode', group: 'Measurement' }, '64');
  repeats = textOption('--repeats', {
    value: 'N',
    description: 'measurements, of which the median counts',
    default: '3, and on for a second',
    group: 'Measurement',
  });
  threads = threadsFlag();
  kernel = kernelFlag();
  placement = placementFlag();
  backend = backendFlag();
  kvCache = kvCacheFlag();
  memoryBudget = memoryBudgetFlag();
  modelsDir = modelsDirFlag();
  cacheDir = cacheDirFlag('shapes and converted files');
  noCache = noCacheFlag();
  json = switchOption('--json', { description: 'one line of JSON', group: 'Measurement' });
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    const engineOptions = toEngineOptions(this);
    const plan = {
      promptTokens: parseNumber('--prompt-tokens', this.promptTokens, ranges.benchTokens),
      genTokens: parseNumber('--gen-tokens', this.genTokens, ranges.benchTokens),
      repeats: parseOptionalNumber('--repeats', this.repeats, ranges.repeats),
      placement: this.placement ?? 'auto',
      kvCache: this.kvCache ?? 'auto',
    };
    const quant = parseChoice('--quant', this.quant, ['q4', 'q8'] as const);
    const directories = await toDirectories(this, terminal.env);
    const result = await interrupts.during(async (signal) => {
      const path = await this.findModel(quant, directories, signal);
      const { createEngine } = await import('../../../index.js');
      const open = ({ speculation }: { readonly speculation: boolean }) =>
        createEngine({ ...engineOptions, ...directories, speculation });
      return measure(open, { name: this.model, path, quant: await readQuant(path) }, plan, signal);
    });
    await print(terminal.stdout, this.json ? `${JSON.stringify(result)}\n` : toTable(result), terminal.closed);
    return 0;
  }

  private async findModel(quant: 'q4' | 'q8', directories: Directories, signal: AbortSignal): Promise<string> {
    const { terminal } = this.context;
    if (!this.model.startsWith(shapePrefix)) return locateNamed(this.model, terminal, { directories, signal });
    using progress = openProgressLine(terminal, this.model);
    return await openBenchModel(this.model, quant, directories.cacheDir, signal, progress.onProgress);
  }
}

function toTable(result: BenchResult): string {
  const entries = Object.entries(result).filter(([, value]) => !Array.isArray(value));
  const width = Math.max(...entries.map(([name]) => name.length));
  const lines = entries.map(([name, value]) => `${name.padEnd(width)}  ${toCell(name, value)}`);
  return [...lines, ...result.kernelNotes.map((text) => `note: ${text}`), ''].join('\n');
}

function toCell(name: string, value: string | number | null): string {
  if (value === null) return '–';
  if (typeof value !== 'number') return value;
  if (name.endsWith('Rate')) return `${(value * 100).toFixed(1)} %`;
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}
