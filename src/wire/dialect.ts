// The interface of a wire's dialect: its bodies become requests, and events become its bodies.
import type { ErrorData, KindOf } from '../base/index.js';
import type { CompletionEvent, CompletionRequest } from '../completion/index.js';
import type { TSchema } from '../schema/index.js';
import type { AnswerTimer } from './answer-timer.js';

/** The fields that all objects of one answer share. */
export interface AnswerHead {
  readonly id: string;
  /** In seconds since 1970. */
  readonly created: number;
  /** As the request named it. */
  readonly model: string;
  readonly systemFingerprint: string;
  /** The cost of the answer. */
  readonly timer: Pick<AnswerTimer, 'read' | 'unixMs'>;
  /** A new id for a tool call. */
  readonly newCallId: () => string;
  /** Random text for the ids of an answer's parts. */
  readonly newId: () => string;
  /** The time now, in seconds since 1970. */
  readonly unixSeconds: () => number;
}

/** An unknown field, and a known one with a similar name. */
export interface MisspeltField {
  /** With its path: `stream_options.include_usge`. */
  readonly field: string;
  readonly meant: string;
}

/** What a body asks for. */
export interface WireRequest {
  /** The model that it names. */
  readonly model: string | undefined;
  /** It asks for a stream. */
  readonly isStream: boolean;
  readonly completion: CompletionRequest;
  /** The stream reports the usage. */
  readonly tellsUsage: boolean;
  /**
   * How long the model stays in memory behind its last call, in milliseconds; Infinity: as long as memory allows.
   * Absent: unchanged.
   */
  readonly keepAliveMs?: number | undefined;
  /** The request only unloads the model. */
  readonly releases?: boolean | undefined;
  /** Names of ignored parts: unsupported tools and items, unknown options. */
  readonly ignored?: readonly string[] | undefined;
  /** Fields of the body that are misspelt, and so of no effect. */
  readonly misspelt?: readonly MisspeltField[] | undefined;
}

/** Collects the events of an answer into one object. */
export interface WholeWriter<Whole> {
  add(event: CompletionEvent): void;
  /** After the last event. */
  finish(): Whole;
}

/** Makes the objects of a stream of each event, in their order. */
export interface EventWriter<Event> {
  (event: CompletionEvent): readonly Event[];
  /** The end of a failed stream, if it depends on what was written before. Absent: the dialect's `toError`. */
  readonly fail?: (error: ErrorData, kindOf: KindOf) => readonly object[];
}

/** The text form of a dialect's stream. */
export interface Framing {
  readonly mediaType: string;
  /** One object as a piece of the stream; `json` is its text. */
  readonly frame: (json: string, object: object) => string;
  /** The end of a successful stream. */
  readonly end: string;
  /** Keeps a silent stream alive; absent if the format lacks such an element. */
  readonly ping?: string;
}

/**
 * One API in which clients request completions. `Whole`, `Event`: its answers; `Request`: what a body asks for, with the
 * parts that answers repeat.
 */
export interface WireDialect<Whole, Event, Request extends WireRequest = WireRequest> {
  /** Of bodies, of whole answers, and of the objects of a stream. */
  readonly schemas: { readonly request: TSchema; readonly whole: TSchema; readonly event: TSchema };
  /** Answers' ids begin with it. */
  readonly idPrefix: string;
  /** Top-level fields of a body whose JSON text `read` needs too. */
  readonly sources: readonly string[];
  /** Checks the value of a body and converts it. `sources`: the text of those fields. Errors: those of its fields. */
  read(value: unknown, sources?: Readonly<Record<string, string>>): Request;
  /** A writer of a streamed answer. */
  toEvents(request: Request, head: AnswerHead): EventWriter<Event>;
  toWhole(request: Request, head: AnswerHead): WholeWriter<Whole>;
  /** A whole answer or an object of a stream as JSON, where that has to be more exact than `JSON.stringify`. */
  toJson?(object: Whole | Event): string;
  /** The body of an error in a stream. */
  readonly toError: (error: ErrorData, kindOf: KindOf) => object;
  readonly framing: Framing;
}

/** Newline-delimited JSON, as Ollama streams: its end is that of the text. */
export const lineFraming: Framing = { mediaType: 'application/x-ndjson', frame: (json) => `${json}\n`, end: '' };

/** Server-sent events that end with OpenAI's word for it. */
export const doneFraming = {
  mediaType: 'text/event-stream; charset=utf-8',
  frame: (json: string) => `data: ${json}\n\n`,
  end: 'data: [DONE]\n\n',
  ping: ': ping\n\n',
} as const satisfies Framing;

/** Server-sent events that are called by the `type` of their objects, and end when the answer has. */
export const namedFraming: Framing = {
  mediaType: 'text/event-stream; charset=utf-8',
  frame: (json, object) => `event: ${String(Reflect.get(object, 'type'))}\ndata: ${json}\n\n`,
  end: '',
  ping: ': ping\n\n',
};
