import { checkedLater, callback, flag, signal, text, type OptionTable } from '../base/index.js';
import type { Usage } from './chat-answers.js';
import type { Tool } from './chat-tools.js';

/** Options of every call. */
export interface CallOptions {
  /** An abort rejects with `signal.reason`. */
  readonly signal?: AbortSignal | null | undefined;
}

/** Options of a chat call: its abort signal, and the caller, priority and deadline of its sequences. */
export interface ChatOptions extends CallOptions {
  /**
   * Id of the caller. Callers wait equally long, however many requests each sends. A caller's next request need not
   * compute the last tokens of its previous one again. Absent: one caller that all such requests share.
   */
  readonly caller?: string | null | undefined;
  /** Higher runs first; default 0. */
  readonly priority?: number | null | undefined;
  /** Milliseconds after the prompt is ready at which the answer ends with `deadline_exceeded`. Absent: no deadline. */
  readonly deadlineMs?: number | null | undefined;
  /** The model's name in the answer. Default: the model's own id. */
  readonly modelName?: string | null | undefined;
  /** Called with the usage at the end of a streamed answer, whether or not its chunks report it. */
  readonly onUsage?: ((usage: Usage) => void) | null | undefined;
}

/** Options of `embed`. */
export interface EmbedOptions extends CallOptions {
  /** Id of the caller. Callers wait equally long, however many requests each sends. Absent: one shared caller. */
  readonly caller?: string | null | undefined;
  /**
   * Calls with the same salt share cached prefixes; 1 to 256 characters. Absent: shared by all calls without a salt.
   */
  readonly cacheSalt?: string | null | undefined;
  /** Scale each vector to length 1. False: the plain mean. Default true. */
  readonly normalize?: boolean | null | undefined;
}

/** Options of `renderChat`. */
export interface RenderOptions extends CallOptions {
  /** The tools that the model may call. */
  readonly tools?: readonly Tool[] | null | undefined;
  /** Ends the prompt with the opening of the assistant's turn. Default false. */
  readonly addGenerationPrompt?: boolean | null | undefined;
  /** Absent: the template's own default. */
  readonly enableThinking?: boolean | null | undefined;
  /** Leaves out parts that the model's template does not use. Default false: such a part is refused. */
  readonly dropUnsupported?: boolean | null | undefined;
}

/** Options of every call of a model. */
export const callOptions: OptionTable<CallOptions> = { signal };

/** Options of chat calls. The engine checks `caller`, `priority` and `deadlineMs`. */
export const chatOptions: OptionTable<ChatOptions> = {
  signal,
  caller: checkedLater,
  priority: checkedLater,
  deadlineMs: checkedLater,
  modelName: text('a string'),
  onUsage: callback,
};

/** The table that checks the options of `embed`. */
export const embedOptions: OptionTable<EmbedOptions> = {
  signal,
  caller: checkedLater,
  cacheSalt: checkedLater,
  normalize: flag,
};

/** The table that checks the options of `renderChat`. */
export const renderOptions: OptionTable<RenderOptions> = {
  signal,
  tools: checkedLater,
  addGenerationPrompt: flag,
  enableThinking: flag,
  dropUnsupported: flag,
};
