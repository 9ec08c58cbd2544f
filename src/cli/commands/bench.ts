import { Command, Option } from 'clipanion';
import { type BenchResult, measure } from '../bench-measure.js';
import { openBenchModel, readQuant, shapePrefix } from '../bench-model.js';
import type { CliContext } from '../context.js';
import { type Directories, toDirectories } from '../directories.js';
import { toEngineOptions } from '../engine-options.js';
import { locateNamed } from '../locate-named.js';
import { parseChoice, parseNumber, parseOptionalNumber, ranges } from '../option-values.js';
import { openProgressLine } from '../progress.js';
import { print } from '../terminal.js';

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

  model = Option.String({ name: 'demo | artifact | file.gguf | shape:1.1b | shape:0.5b | shape:8b' });
  quant = Option.String('--quant', 'q4', { description: 'of a shape: q4 (default) or q8' });
  promptTokens = Option.String('--prompt-tokens', '256', { description: 'tokens of prefill; default 256' });
  genTokens = Option.String('--gen-tokens', '64', { description: 'tokens of decode; default 64' });
  repeats = Option.String('--repeats', {
    description: 'measurements, of which the median counts; default: 3, and on for a second',
  });
  threads = Option.String('--threads', { description: 'compute threads; default: chosen from the cores' });
  kernel = Option.String('--kernel', { description: 'auto or portable' });
  placement = Option.String('--placement', { description: 'auto, inline or threads' });
  backend = Option.String('--backend', { description: 'cpu (WASM) or reference' });
  kvCache = Option.String('--kv-cache', { description: 'f32 or q8; default: what fits the weights' });
  memoryBudget = Option.String('--memory-budget', {
    description: 'GiB for weights, KV cache and activations; default: three quarters of the memory',
  });
  modelsDir = Option.String('--models-dir', { description: 'where models are; default ~/.troupe/models' });
  cacheDir = Option.String('--cache-dir', { description: 'where shapes and converted files are kept' });
  json = Option.Boolean('--json', false, { description: 'one line of JSON' });
  debug = Option.Boolean('--debug', false, { description: 'stack traces of errors' });

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
      const { createEngine } = await import('../../index.js');
      const open = ({ speculation }: { readonly speculation: boolean }) =>
        createEngine({ ...engineOptions, ...directories, speculation });
      return await measure(open, { name: this.model, path, quant: await readQuant(path) }, plan, signal);
    });
    await print(terminal.stdout, this.json ? `${JSON.stringify(result)}\n` : toTable(result), terminal.closed);
    return 0;
  }

  private async findModel(quant: 'q4' | 'q8', directories: Directories, signal: AbortSignal): Promise<string> {
    const { terminal } = this.context;
    if (!this.model.startsWith(shapePrefix)) return locateNamed(this.model, directories, terminal, signal);
    using progress = openProgressLine(terminal, this.model);
    return await openBenchModel(this.model, quant, directories.cacheDir, signal, progress.onProgress);
  }
}

function toTable(result: BenchResult): string {
  const entries = Object.entries(result).filter(([, value]) => !Array.isArray(value));
  const width = Math.max(...entries.map(([name]) => name.length));
  return `${entries.map(([name, value]) => `${name.padEnd(width)}  ${toCell(name, value)}`).join('\n')}\n`;
}

function toCell(name: string, value: string | number | null): string {
  if (value === null) return '–';
  if (typeof value !== 'number') return value;
  if (name.endsWith('Rate')) return `${(value * 100).toFixed(1)} %`;
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}
