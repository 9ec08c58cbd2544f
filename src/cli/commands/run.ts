import { Command, Option } from 'clipanion';
import { AppError } from '../../base/index.js';
import { answerTurn, note } from '../chat-turn.js';
import type { CliContext } from '../context.js';
import { toDirectories } from '../directories.js';
import { toEngineOptions } from '../engine-options.js';
import { locateNamed } from '../locate-named.js';
import type { Model } from '../../index.js';
import { parseOptionalNumber, parseSeed, ranges } from '../option-values.js';
import { openProgressLine } from '../progress.js';
import { readPrompt } from '../read-prompt.js';
import { runRepl } from '../repl/repl.js';
import { type Settings, withModelDefaults } from '../settings.js';

/** `native-engine run <model> [prompt]`: answers once, or opens a REPL. */
export class RunCommand extends Command<CliContext> {
  static override paths = [['run']];
  static override usage = Command.Usage({
    description: 'Answers a prompt, or talks in a REPL when there is none.',
    examples: [
      ['Talk with the demo model', '$0 run demo'],
      ['One answer', '$0 run demo "What is 12 + 30?"'],
      ['A GGUF file, converted on its first run', '$0 run ./model.Q4_1.gguf'],
      ['The prompt from a pipe', 'echo "What is 12 + 30?" | $0 run demo'],
    ],
  });

  model = Option.String({ name: 'demo | artifact | file.gguf' });
  prompt = Option.String({ required: false, name: 'prompt' });
  backend = Option.String('--backend', {
    description: 'auto, cpu (WASM), reference, cuda[:N], metal or metal-fp16',
  });
  maxTokens = Option.String('--max-tokens', { description: 'longest answer; -1, the default: up to the context' });
  temperature = Option.String('--temperature', {
    description: '0 is greedy; default: what the model recommends, else 1',
  });
  system = Option.String('--system', { description: 'system prompt' });
  topP = Option.String('--top-p', { description: 'keep the likeliest tokens of this total probability' });
  topK = Option.String('--top-k', { description: 'keep so many of the likeliest tokens; 0 is off' });
  minP = Option.String('--min-p', {
    description: 'keep tokens at least so likely relative to the likeliest; 0 is off',
  });
  seed = Option.String('--seed', { description: 'the same seed gives the same answer; -1 is random' });
  modelsDir = Option.String('--models-dir', { description: 'where names are looked for; default ~/.troupe/models' });
  cacheDir = Option.String('--cache-dir', { description: 'where converted files are kept' });
  threads = Option.String('--threads', { description: 'compute threads; default: chosen from the cores' });
  kernel = Option.String('--kernel', { description: 'auto or portable (the same bits on every CPU)' });
  placement = Option.String('--placement', { description: 'auto, inline or threads: where the engine runs' });
  kvCache = Option.String('--kv-cache', { description: 'f32 or q8; default: what fits the weights' });
  memoryBudget = Option.String('--memory-budget', {
    description: 'GiB for weights, KV cache and activations; default: three quarters of the memory',
  });
  think = Option.Boolean('--think', { description: 'think before answering; --no-think: answer at once' });
  verbose = Option.Boolean('--verbose', false, { description: 'reasoning, and tokens/s after each answer' });
  debug = Option.Boolean('--debug', false, { description: 'stack traces of errors' });

  async execute(): Promise<number> {
    const given = this.settings();
    const engineOptions = toEngineOptions(this);
    const { terminal, interrupts } = this.context;
    const prompt = this.prompt ?? (await readPrompt(terminal));
    if (prompt?.trim() === '') {
      throw new AppError(
        'prompt_missing',
        'The prompt is empty. Give it as an argument, or pipe it to standard input.',
      );
    }
    const directories = await toDirectories(this, terminal.env);
    const path = await interrupts.during((signal) =>
      locateNamed(this.model, directories, terminal, signal, refuseTokenIds),
    );
    // Loaded here, so that help and refusals do not wait for it.
    const { createEngine } = await import('../../index.js');
    await using engine = await createEngine({ ...engineOptions, ...directories });
    await using model = await interrupts.during(async (signal) => {
      using progress = openProgressLine(terminal, this.model);
      return await engine.load(path, { signal, onProgress: progress.onProgress });
    });
    const settings = withModelDefaults(model, given);
    if (settings.verbose) for (const text of model.kernelNotes) note(terminal, `(${text})`);
    if (prompt === undefined) return await runRepl(model, this.system, settings, terminal, interrupts);
    return await this.answerOnce(model, prompt, settings);
  }

  private async answerOnce(model: Model, prompt: string, settings: Settings): Promise<number> {
    const { terminal, interrupts } = this.context;
    const conversation = { system: this.system, turns: [{ user: prompt }] };
    await interrupts.during((signal) => answerTurn(model, conversation, settings, terminal, signal));
    return 0;
  }

  private settings(): Settings {
    const numbers = {
      temperature: parseOptionalNumber('--temperature', this.temperature, ranges.temperature),
      topP: parseOptionalNumber('--top-p', this.topP, ranges.topP),
      topK: parseOptionalNumber('--top-k', this.topK, ranges.topK),
      minP: parseOptionalNumber('--min-p', this.minP, ranges.minP),
      seed: this.seed === undefined ? undefined : parseSeed('--seed', this.seed),
      maxTokens: parseOptionalNumber('--max-tokens', this.maxTokens, ranges.maxTokens),
      think: this.think,
    };
    const given = Object.entries(numbers).filter(([, value]) => value !== undefined);
    return { verbose: this.verbose, ...Object.fromEntries(given) };
  }
}

/** A model without a tokenizer cannot take a prompt: said before its file is converted. */
function refuseTokenIds(warning: string): never {
  throw new AppError('tokenizer_missing', `${warning} run needs text; serve, bench and the library take token ids.`);
}
