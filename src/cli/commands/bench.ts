import { Command } from 'clipanion';
import { type BenchResult, measure } from '../bench-measure.js';
import { locateArtifact, openBenchModel, readQuant, shapePrefix } from '../bench-model.js';
import type { CliContext } from '../context.js';
import { toEngineOptions } from '../engine-options.js';
import { argument, switchOption, textOption } from '../help/option.js';
import { parseChoice, parseNumber, parseOptionalNumber, ranges } from '../option-values.js';
import { print } from '../terminal.js';

/** `native-engine bench <model>`: prefill and decode speed, as a table or one JSON line. */
export class BenchCommand extends Command<CliContext> {
  static override paths = [['bench']];
  static override usage = Command.Usage({
    description: 'Measures prefill and decode.',
    details: 'A shape is a model with random weights, kept in ~/.troupe/bench. Values are medians over the repeats.',
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
  threads = textOption('--threads', {
    value: 'N',
    description: 'compute threads',
    default: 'chosen from the cores',
    group: 'Engine',
  });
  kernel = textOption('--kernel', {
    value: 'auto|portable',
    description: 'portable: the same bits on every CPU',
    default: 'auto',
    group: 'Engine',
  });
  placement = textOption('--placement', {
    value: 'auto|inline|threads',
    description: 'where the engine runs',
    default: 'auto',
    group: 'Engine',
  });
  backend = textOption('--backend', {
    value: 'NAME',
    description: 'auto, cpu (WASM), reference, cuda[:N], metal or metal-fp16',
    default: 'auto',
    group: 'Engine',
  });
  kvCache = textOption('--kv-cache', {
    value: 'f32|q8',
    description: 'numbers of the KV cache',
    default: 'what fits the weights',
    group: 'Engine',
  });
  memoryBudget = textOption('--memory-budget', {
    value: 'GIB',
    description: 'memory for weights, KV cache and activations',
    default: 'three quarters of the memory',
    group: 'Engine',
  });
  cache = textOption('--cache', {
    value: 'DIR',
    description: 'where artifacts of shapes are kept',
    default: '~/.troupe/bench',
    group: 'Files',
  });
  json = switchOption('--json', { description: 'one line of JSON', group: 'Measurement' });
  debug = switchOption('--debug', { description: 'stack traces of errors' });

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
    const result = await interrupts.during(async (signal) => {
      const path = this.model.startsWith(shapePrefix)
        ? await openBenchModel(this.model, quant, this.cache, signal)
        : await locateArtifact(this.model, signal);
      const { createEngine } = await import('../../index.js');
      await using engine = await createEngine(engineOptions);
      return await measure(engine, { name: this.model, path, quant: await readQuant(path) }, plan, signal);
    });
    await print(terminal.stdout, this.json ? `${JSON.stringify(result)}\n` : toTable(result), terminal.closed);
    return 0;
  }
}

function toTable(result: BenchResult): string {
  const entries = Object.entries(result).filter(([, value]) => !Array.isArray(value));
  const width = Math.max(...entries.map(([name]) => name.length));
  const lines = entries.map(([name, value]) => {
    const shown = typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(1) : String(value);
    return `${name.padEnd(width)}  ${shown}`;
  });
  return `${lines.join('\n')}\n`;
}
