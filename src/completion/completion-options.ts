import type { AppError } from '../base/index.js';
import type { Dialect } from '../chat/index.js';
import type { Generator, RecommendedSampling } from '../engine/index.js';
import type { PlainText, Tokenizer } from '../tokenizer/index.js';
import type { Admit } from './admission.js';
import type { GrammarCompiler } from './grammars/grammar-compiler.js';
import type { TemplateShapes } from './templates/conversation-shape.js';
import type { RenderPrompt, TemplateFeatures } from './templates/template-features.js';
import type { TemplateTokens } from './templates/template-messages.js';

/** Text to ids. `plain`: where control tokens are text. */
export type EncodeText = (
  text: string,
  signal: AbortSignal | undefined,
  plain?: PlainText,
) => Promise<readonly number[]> | readonly number[];

/** A model's chat template, and how its answers are read. */
export interface ModelTemplate {
  readonly render: RenderPrompt;
  readonly tokens: TemplateTokens;
  readonly dialect: Dialect;
  /** What it makes use of. Absent: of everything. */
  readonly features?: (signal: AbortSignal | undefined) => Promise<TemplateFeatures>;
  /** Which forms of conversations it takes. Absent: all. */
  readonly shapes?: (signal: AbortSignal | undefined) => Promise<TemplateShapes>;
}

/** What a model's completions are made with. */
export interface CompletionOptions {
  readonly modelId: string;
  /** Names the build and the weights; never empty, since clients drop usage without it. */
  readonly systemFingerprint: string;
  readonly generator: Generator;
  readonly tokenizer: Pick<Tokenizer, 'decode' | 'createDetokenizer' | 'tokenBytes' | 'tokenToId'>;
  /** Logits of the model: ids are below it. A padded model has more than its tokenizer has tokens. */
  readonly vocabSize: number;
  /** For prompts of a template, which writes special tokens itself. */
  readonly encode: EncodeText;
  /** For texts without a template: with the special tokens that the tokenizer puts around every text. */
  readonly encodeText: EncodeText;
  /** Absent: the model cannot chat. */
  readonly template?: ModelTemplate | undefined;
  /** Why it cannot. */
  readonly templateMissing: () => AppError;
  readonly stopTokenIds: readonly number[];
  /** The sampling that the model's makers recommend. Absent: none. */
  readonly recommended?: RecommendedSampling | undefined;
  /** Holds answers to formats and tools to their schemas. Absent: formats are refused. */
  readonly grammars?: GrammarCompiler | undefined;
  /** Takes places for the sequences of a request. Absent: there are always some. */
  readonly admit?: Admit;
  /** The seed of a request that brings none: any integer. */
  readonly newSeed?: () => number;
}

/** How a call is cancelled (an abort rejects with `signal.reason`), and where its sequences stand among others. */
export interface CompletionCallOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Who asks: callers wait equally long, however much each asks, and one that asks again need not compute the last tokens of
   * what it had asked before. While others wait, one holds at most half of the places. Absent: nobody in particular.
   */
  readonly caller?: string | undefined;
  /** Higher runs first; default 0. */
  readonly priority?: number | undefined;
  /** Milliseconds from when the prompt is ready until the answer ends with `deadline_exceeded`. Absent: none. */
  readonly deadlineMs?: number | undefined;
  /** Hears of the first token of each choice, also of one that is not given out. */
  readonly onFirstToken?: (() => void) | undefined;
}
