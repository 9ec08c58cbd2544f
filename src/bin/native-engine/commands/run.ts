import { Command } from 'clipanion';
import { AppError } from '../../../base/index.js';
import type { ShownAnswer } from '../dialogue/answer.js';
import { type ChosenFormat, readAnswerFormat } from '../dialogue/answer-format.js';
import { answerTurn, note, showAnswer } from '../dialogue/chat-turn.js';
import { refuseConversation, textSource } from '../dialogue/continuation.js';
import {
  argument,
  optionalArgument,
  switchOption,
  textOption,
  triStateOption,
  parseOptionalNumber,
  parseSeed,
  ranges,
} from '../../../cli/index.js';
import { openProgressLine } from '../progress.js';
import { toDirectories } from '../options/directories.js';
import {
  cacheDirFlag,
  ctxFlag,
  debugFlag,
  kernelFlag,
  kvCacheFlag,
  memoryBudgetFlag,
  modelsDirFlag,
  noCacheFlag,
  placementFlag,
  threadsFlag,
} from '../options/engine-flags.js';
import { backendFlag, templateFlag } from '../options/loading-flags.js';
import { checkTemplateOption, toEngineOptions } from '../options/engine-options.js';
import { locateNamed } from '../locate-named.js';
import { printNotices } from '../print-notices.js';
import type { OnNotice } from '../../../convert/index.js';
import type { Model } from '../../../index.js';
import { readPrompt } from '../dialogue/read-prompt.js';
import { SamplingCommand } from '../options/sampling-options.js';
import type { AnswerSettings } from '../options/settings.js';
import {
  allowRollbackFlag,
  requireSignedFlag,
  toTrustOptions,
  trustDirFlag,
  trustedKeyFlag,
} from '../../signatures/trust-options.js';

/** `native-engine run <model> [prompt]`: answers once, or opens a REPL. */
export class RunCommand extends SamplingCommand {
  static override paths = [['run']];
  static override usage = Command.Usage({
    description: 'Answers a prompt, or talks in a REPL when there is none.',
    examples: [
      ['Talk with the demo model', '$0 run demo'],
      ['One answer', '$0 run demo "What is 12 + 30?"'],
      ['A GGUF file, converted on its first run', '$0 run ./model.Q4_1.gguf'],
      ['A model of the hub, pulled on its first run', '$0 run Qwen/Qwen3-0.6B-GGUF'],
      ['The prompt from a pipe', 'echo "What is 12 + 30?" | $0 run demo'],
      ['A question about a text', '$0 run demo "Summarize this text." < notes.txt'],
      ['An answer in JSON', '$0 run demo --format json "As JSON: Rosa lives in Lima."'],
    ],
  });

  model = argument('model', {
    description:
      'demo, a model of the models directory, the directory of an artifact, a .gguf file, or org/name of the hub',
  });
  prompt = optionalArgument('prompt', {
    description:
      'what to answer; text from a pipe follows it after an empty line; left out or -, the pipe is the prompt; without ' +
      'either, a REPL',
  });
  backend = backendFlag();
  maxTokens = textOption('--max-tokens', {
    value: 'N',
    description: 'longest answer in tokens; -1 has no limit',
    default: 'up to the context',
    group: 'Answer',
  });
  system = textOption('--system', {
    value: 'TEXT',
    description: 'system prompt',
    default: 'none',
    group: 'Answer',
  });
  format = textOption('--format', {
    value: 'FORMAT',
    description: 'json: the answer is a JSON object; a path: JSON that fits the JSON Schema in that file',
    default: 'text',
    group: 'Answer',
  });
  seed = textOption('--seed', {
    value: 'N',
    description: 'the same seed gives the same answer; -1 is random',
    default: 'random',
    group: 'Answer',
  });
  modelsDir = modelsDirFlag();
  cacheDir = cacheDirFlag();
  noCache = noCacheFlag();
  requireSigned = requireSignedFlag();
  trustedKey = trustedKeyFlag();
  allowRollback = allowRollbackFlag();
  trustDir = trustDirFlag();
  threads = threadsFlag();
  kernel = kernelFlag();
  placement = placementFlag();
  kvCache = kvCacheFlag();
  ctx = ctxFlag();
  memoryBudget = memoryBudgetFlag();
  template = templateFlag();
  think = triStateOption('--think', {
    description: 'think before answering, or answer at once',
    default: "as the model's template does",
    group: 'Answer',
  });
  verbose = switchOption('--verbose', { description: 'reasoning, and tokens/s after each answer', group: 'Answer' });
  debug = debugFlag();

  async execute(): Promise<number> {
    const format = this.format === undefined ? undefined : await readAnswerFormat(this.format, '--format');
    const settings = this.settings(format);
    const engineOptions = toEngineOptions(this);
    const { terminal, interrupts } = this.context;
    const trust = await toTrustOptions(this, terminal.env);
    await checkTemplateOption(this.template);
    const prompt = await readPrompt(terminal, this.prompt);
    const directories = await toDirectories(this, terminal.env);
    const onNotice = refuseTokenIds(printNotices(terminal));
    const path = await interrupts.during((signal) =>
      locateNamed(this.model, terminal, {
        directories,
        signal,
        onNotice,
        memoryBudgetBytes: engineOptions.memoryBudgetBytes,
        requireSigned: trust.requireSigned,
      }),
    );
    // Loaded here, so that help and refusals do not wait for it.
    const { createEngine } = await import('../../../index.js');
    await using engine = await createEngine({ ...engineOptions, ...directories, ...trust });
    await using model = await interrupts.during(async (signal) => {
      using progress = openProgressLine(terminal, this.model);
      return await engine.load(path, { signal, onProgress: progress.onProgress });
    });
    if (!model.hasTemplate) refuseConversation(model, this, prompt);
    // Where it was converted, the import has said it.
    const importNote = this.noCache ? model.importNote : undefined;
    const { signatureNote } = await import('../../../models/index.js');
    const { DEMO } = await import('../../../store/index.js');
    // The demo comes with the package, and most published models have no signature.
    const isUsual = this.model === DEMO || (model.signature.state === 'unsigned' && !settings.verbose);
    const signedBy = isUsual ? undefined : signatureNote(model.signature);
    for (const text of [importNote, model.contextNote, model.layoutNote, signedBy]) {
      if (text !== undefined) note(terminal, `(${text})`);
    }
    if (settings.verbose) for (const text of model.kernelNotes) note(terminal, `(${text})`);
    if (prompt !== undefined) return await this.answerOnce(model, prompt, settings);
    const { runRepl } = await import('../repl/repl.js');
    return await runRepl(model, this.system, settings, terminal, interrupts);
  }

  private async answerOnce(model: Model, prompt: string, settings: AnswerSettings): Promise<number> {
    const { terminal, interrupts } = this.context;
    if (!model.hasTemplate) {
      const why = `(the model ${model.id} has no chat template, so the text is continued as it is; --template chooses one)`;
      note(terminal, why);
      const source = textSource(model, prompt, settings);
      await interrupts.during((signal) => showAnswer(model, source, settings, terminal, signal));
      return 0;
    }
    const conversation = { system: this.system, turns: [{ user: prompt }] };
    const { answer } = await interrupts.during((signal) => answerTurn(model, conversation, settings, terminal, signal));
    if (settings.format !== undefined && answer.finishReason === 'length') throw incomplete(answer);
    return 0;
  }

  private settings(format: ChosenFormat | undefined): AnswerSettings {
    return {
      sampling: this.samplingNumbers(),
      seed: this.seed === undefined ? undefined : parseSeed('--seed', this.seed),
      maxTokens: parseOptionalNumber('--max-tokens', this.maxTokens, ranges.maxTokens),
      think: this.think,
      format,
      verbose: this.verbose,
    };
  }
}

/** A program that reads the answer must not take it for whole. */
function incomplete({ completionTokens, content }: ShownAnswer): AppError {
  const message = `the answer was cut after ${completionTokens} tokens, before its JSON was whole; raise --max-tokens, or bound the arrays and texts of the schema`;
  return new AppError('answer_incomplete', message, { completionTokens, length: content.length });
}

/** A model without a tokenizer cannot take a prompt: said before its file is converted. */
function refuseTokenIds(print: OnNotice): OnNotice {
  return (notice) => {
    if (notice.kind !== 'no_tokenizer') return print(notice);
    const message = `${notice.text} run needs text; serve, bench and the library take token ids.`;
    throw new AppError('tokenizer_missing', message);
  };
}
