import { Command } from 'clipanion';
import type { Engine } from '../../../index.js';
import { type LoadPlan, measureLoad, renderLoad } from '../bench/bench-load.js';
import { measure } from '../bench/bench-measure.js';
import { openBenchModel, readQuant, shapePrefix } from '../bench/bench-model.js';
import { renderBench } from '../bench/render-bench.js';
import {
  type CliContext,
  argument,
  switchOption,
  textOption,
  openStatusLine,
  parseChoice,
  parseDuration,
  parseNumber,
  parseNumbers,
  parseOptionalNumber,
  ranges,
  print,
} from '../../../cli/index.js';
import { openProgressLine } from '../progress.js';
import { type Directories, toDirectories } from '../options/directories.js';
import {
  cacheDirFlag,
  debugFlag,
  kernelFlag,
  kvCacheFlag,
  memoryBudgetFlag,
  modelsDirFlag,
  noCacheFlag,
  placementFlag,
  threadsFlag,
} from '../options/engine-flags.js';
import { backendFlag } from '../options/loading-flags.js';
import { toEngineOptions } from '../options/engine-options.js';
import { locateNamed } from '../locate-named.js';

/** Numbers of callers that are measured one after the other. */
const MAX_LEVELS = 32;

/** `native-engine bench <model>`: speed of prefill, of decode and of speculation, as a table or one JSON line. */
export class BenchCommand extends Command<CliContext> {
  static override paths = [['bench']];
  static override usage = Command.Usage({
    description: 'Measures prefill and decode.',
    details:
      'A shape is a model with random weights, kept in the cache directory. Values are medians over the repeats. Decode is one token after the other; the rate with prompt-lookup speculation is printed beside it, with the share of the guesses that was right. A model with random weights repeats itself, so that its guesses say little.',
    examples: [
      ['The demo model', '$0 bench demo --json'],
      ['A large shape', '$0 bench shape:1.1b --quant q4 --threads 2 --json'],
      ['A GGUF file, as another engine would run it', '$0 bench ./model.Q4_0.gguf --json'],
      ['Many callers at once', '$0 bench demo --concurrency 1,2,4,8 --duration 30s'],
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
  concurrency = textOption('--concurrency', {
    value: 'LIST',
    description:
      'so many callers at once instead, one after the other: throughput, time to the first token, between tokens',
    default: 'one caller',
    group: 'Measurement',
  });
  duration = textOption('--duration', {
    value: 'DURATION',
    description: 'how long each number of callers runs',
    default: '30s, with --concurrency',
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
    const load = this.loadPlan(plan);
    const quant = parseChoice('--quant', this.quant, ['q4', 'q8'] as const);
    const directories = await toDirectories(this, terminal.env);
    const text = await interrupts.during(async (signal) => {
      const path = await this.findModel(quant, directories, signal);
      const { createEngine } = await import('../../../index.js');
      const model = { name: this.model, path, quant: await readQuant(path) };
      if (load !== undefined) {
        await using engine = await createEngine({ ...engineOptions, ...directories, speculation: false });
        return await this.measureLoad(engine, model, load, signal);
      }
      const open = ({ speculation }: { readonly speculation: boolean }) =>
        createEngine({ ...engineOptions, ...directories, speculation });
      const result = await measure(open, model, plan, signal);
      return this.json ? `${JSON.stringify(result)}\n` : renderBench(result);
    });
    await print(terminal.stdout, text, terminal.closed);
    return 0;
  }

  /** Undefined where one caller is measured. */
  private loadPlan({ promptTokens, genTokens }: Pick<LoadPlan, 'promptTokens' | 'genTokens'>): LoadPlan | undefined {
    if (this.concurrency === undefined && this.duration === undefined) return undefined;
    const concurrency = parseNumbers('--concurrency', this.concurrency ?? '1', ranges.concurrency, MAX_LEVELS);
    const durationMs = parseDuration('--duration', this.duration ?? '30s', { minMs: 100, maxMs: 3_600_000 });
    return { concurrency, durationMs, promptTokens, genTokens };
  }

  private async measureLoad(
    engine: Engine,
    model: Parameters<typeof measureLoad>[1],
    plan: LoadPlan,
    signal: AbortSignal,
  ): Promise<string> {
    using line = openStatusLine(this.context.terminal);
    const tell = (callers: number, share: number): void =>
      line.show(share, (bar) => `${bar}${callers} callers at once, ${Math.floor(share * 100)} % of all`);
    const result = await measureLoad(engine, model, plan, signal, tell);
    return this.json ? `${JSON.stringify(result)}\n` : renderLoad(result);
  }

  private async findModel(quant: 'q4' | 'q8', directories: Directories, signal: AbortSignal): Promise<string> {
    const { terminal } = this.context;
    if (!this.model.startsWith(shapePrefix)) return locateNamed(this.model, terminal, { directories, signal });
    using progress = openProgressLine(terminal, this.model);
    return await openBenchModel(this.model, quant, directories.cacheDir, signal, progress.onProgress);
  }
}
