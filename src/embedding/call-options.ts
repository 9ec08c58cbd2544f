import { checkedLater, callback, flag, signal, text, type OptionTable } from '../base/index.js';
import type { Usage } from './chat-answers.js';
import type { Tool } from './chat-tools.js';

/** How a call is ended. */
export interface CallOptions {
  /** An abort rejects with `signal.reason`. */
  readonly signal?: AbortSignal | null | undefined;
}

/** How a chat call is ended, and where its sequences stand among others: who asks, how urgently, until when. */
export interface ChatOptions extends CallOptions {
  /**
   * Who asks: callers wait equally long, however much each asks, and one that asks again need not compute the last tokens of what
   * it had asked before. Absent: one caller that all such requests share.
   */
  readonly caller?: string | null | undefined;
  /** Higher runs first; default 0. */
  readonly priority?: number | null | undefined;
  /** Milliseconds from when the prompt is ready until the answer ends with `deadline_exceeded`. Absent: none. */
  readonly deadlineMs?: number | null | undefined;
  /** The name that the answer gives the model. Default: the model's own id. */
  readonly modelName?: string | null | undefined;
  /** Called with what a streamed answer took when it has ended, whether or not its chunks say so. */
  readonly onUsage?: ((usage: Usage) => void) | null | undefined;
}

/** How texts are embedded. */
export interface EmbedOptions extends CallOptions {
  /** Who asks; callers wait equally long, however much each asks. Absent: one caller that all such requests share. */
  readonly caller?: string | null | undefined;
  /** Shares cached prefixes with the calls of the same salt only, 1 to 256 characters. Absent: with all that have none. */
  readonly cacheSalt?: string | null | undefined;
  /** Scale each vector to length 1. False: the plain mean. Default true. */
  readonly normalize?: boolean | null | undefined;
}

/** How `renderChat` renders. */
export interface RenderOptions extends CallOptions {
  /** What the model may call. */
  readonly tools?: readonly Tool[] | null | undefined;
  /** End with the opening of the assistant's turn. Default false. */
  readonly addGenerationPrompt?: boolean | null | undefined;
  /** Absent: the template's own default. */
  readonly enableThinking?: boolean | null | undefined;
  /** Render what the model's template makes no use of as if it were not there. Default false: it is refused. */
  readonly dropUnsupported?: boolean | null | undefined;
}

/** What every call of a model takes. */
export const callOptions: OptionTable<CallOptions> = { signal };

/** What chat calls take. `caller`, `priority` and `deadlineMs` are the engine's to check. */
export const chatOptions: OptionTable<ChatOptions> = {
  signal,
  caller: checkedLater,
  priority: checkedLater,
  deadlineMs: checkedLater,
  modelName: text('a string'),
  onUsage: callback,
};

/** What `embed` takes. */
export const embedOptions: OptionTable<EmbedOptions> = {
  signal,
  caller: checkedLater,
  cacheSalt: checkedLater,
  normalize: flag,
};

/** What `renderChat` takes. */
export const renderOptions: OptionTable<RenderOptions> = {
  signal,
  tools: checkedLater,
  addGenerationPrompt: flag,
  enableThinking: flag,
  dropUnsupported: flag,
};
