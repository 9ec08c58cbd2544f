import type { AppError } from '../base/index.js';
import type { ModelDialect } from '../chat/index.js';
import type { Generator, RecommendedSampling } from '../engine/index.js';
import type { PlainText, Tokenizer } from '../tokenizer/index.js';
import type { Admit } from './slot-pool.js';
import type { GrammarCompiler } from './grammars/grammar-compiler.js';
import type { TemplateShapes } from './templates/conversation-shape.js';
import type { RenderPrompt, TemplateFeatures } from './templates/template-features.js';
import type { TemplateTokens } from './templates/template-messages.js';

/** Text to ids. `plain`: positions where control tokens are text. */
export type EncodeText = (
  text: string,
  signal: AbortSignal | undefined,
  plain?: PlainText,
) => Promise<readonly number[]> | readonly number[];

/** A model's chat template, and its dialect. */
export interface ModelTemplate {
  readonly render: RenderPrompt;
  readonly tokens: TemplateTokens;
  readonly dialect: ModelDialect;
  /** The features that it uses. Absent: all. */
  readonly features?: (signal: AbortSignal | undefined) => Promise<TemplateFeatures>;
  /** The forms of conversations that it accepts. Absent: all. */
  readonly shapes?: (signal: AbortSignal | undefined) => Promise<TemplateShapes>;
}

/** The parts of a model's completions. */
export interface CompletionOptions {
  readonly modelId: string;
  /** Names the build and the weights; never empty, since clients drop usage without it. */
  readonly systemFingerprint: string;
  readonly generator: Generator;
  readonly tokenizer: Pick<Tokenizer, 'decode' | 'createDetokenizer' | 'tokenBytes' | 'tokenToId'>;
  /** Number of the model's logits: ids are below it. A padded model has more than its tokenizer has tokens. */
  readonly vocabSize: number;
  /** For prompts of a template, which writes special tokens itself. */
  readonly encode: EncodeText;
  /** For texts without a template: with the tokenizer's special tokens around every text. */
  readonly encodeText: EncodeText;
  /** Absent: the model cannot chat. */
  readonly template?: ModelTemplate | undefined;
  /** The error of a conversation without a template. */
  readonly templateMissing: () => AppError;
  readonly stopTokenIds: readonly number[];
  /** The sampling that the model's makers recommend. Absent: none. */
  readonly recommended?: RecommendedSampling | undefined;
  /** Constrains answers to formats and tools to their schemas. Absent: formats are refused. */
  readonly grammars?: GrammarCompiler | undefined;
  /** Takes slots for the sequences of a request. Absent: no limit. */
  readonly admit?: Admit;
  /** The seed of a request without one: any integer. */
  readonly newSeed?: () => number;
}

/** Options of one call: its cancellation (an abort rejects with `signal.reason`), and its order among others. */
export interface CompletionCallOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * The caller. Callers take turns, however much each asks. A later request of the same caller reuses the last tokens
   * of its earlier one. While others wait, one holds at most half of the slots. Absent: all requests without a caller
   * share one.
   */
  readonly caller?: string | undefined;
  /** Higher runs first; default 0. */
  readonly priority?: number | undefined;
  /** Milliseconds from a rendered prompt until the answer ends with `deadline_exceeded`. Absent: none. */
  readonly deadlineMs?: number | undefined;
}
