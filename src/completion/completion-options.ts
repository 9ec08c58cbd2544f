import type { Usage } from '../api/index.js';
import type { Clock } from '../base/index.js';
import type { Dialect } from '../chat/index.js';
import type { Generator } from '../engine/index.js';
import type { PlainText, Tokenizer } from '../tokenizer/index.js';
import type { Admit } from './admission.js';
import type { RenderPrompt, TemplateFeatures } from './template-features.js';
import type { TemplateTokens } from './template-messages.js';

/** What a model's completions are made with. */
export interface CompletionOptions {
  readonly modelId: string;
  /** Names the build and the weights; never empty, since clients drop usage without it (wire.md 2.2). */
  readonly systemFingerprint: string;
  readonly generator: Generator;
  readonly tokenizer: Pick<Tokenizer, 'decode' | 'createDetokenizer' | 'tokenBytes' | 'tokenToId'>;
  /** Logits of the model: ids are below it. A padded model has more than its tokenizer has tokens. */
  readonly vocabSize: number;
  /** Prompt text to ids, without special tokens of its own: the template writes them. `plain`: where control tokens are text. */
  readonly encode: (
    text: string,
    signal: AbortSignal | undefined,
    plain?: PlainText,
  ) => Promise<readonly number[]> | readonly number[];
  readonly renderPrompt: RenderPrompt;
  /** What the template makes use of. Absent: of everything. */
  readonly templateFeatures?: (signal: AbortSignal | undefined) => Promise<TemplateFeatures>;
  readonly templateTokens: TemplateTokens;
  readonly dialect: Dialect;
  readonly stopTokenIds: readonly number[];
  readonly clock?: Clock;
  /** Random text for ids. */
  readonly newId?: () => string;
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
  /** The name that the answer gives the model. Default: the model's own id. */
  readonly modelName?: string | undefined;
  /** Called with what a streamed answer took when it has ended, whether or not its chunks say so. */
  readonly onUsage?: ((usage: Usage) => void) | undefined;
}
