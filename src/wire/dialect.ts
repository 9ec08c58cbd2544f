// What a wire's dialect is: how its bodies become requests, and how events become its bodies.
import type { ErrorData, KindOf } from '../base/index.js';
import type { CompletionEvent, CompletionRequest } from '../completion/index.js';
import type { TSchema } from '../schema/index.js';
import type { AnswerTimer } from './answer-timer.js';

/** What all objects of one answer have in common. */
export interface AnswerHead {
  readonly id: string;
  /** In seconds since 1970. */
  readonly created: number;
  /** As the request named it. */
  readonly model: string;
  readonly systemFingerprint: string;
  /** What the answer takes. */
  readonly timer: Pick<AnswerTimer, 'read' | 'unixMs'>;
  /** A new id for a tool call. */
  readonly newCallId: () => string;
  /** Random text for the ids of an answer's parts. */
  readonly newId: () => string;
  /** The time now, in seconds since 1970. */
  readonly unixSeconds: () => number;
}

/** A field that is not known, and the name of one that it looks like. */
export interface MisspeltField {
  /** With its place: `stream_options.include_usge`. */
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
  /** The stream tells what the answer took. */
  readonly tellsUsage: boolean;
  /** How long the model shall stay in memory behind its last call, in milliseconds; Infinity: for as long as there is room. Absent: as before. */
  readonly keepAliveMs?: number | undefined;
  /** Nothing is asked for but that the model is let go. */
  readonly releases?: boolean | undefined;
  /** Names of what was of no effect: tools and items that are not served, options that are not known. */
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
  /** What ends a stream that failed, where that depends on what was written before. Absent: the dialect's `toError`. */
  readonly fail?: (error: ErrorData, kindOf: KindOf) => readonly object[];
}

/** How a dialect's stream looks as text. */
export interface Framing {
  readonly mediaType: string;
  /** One object as a piece of the stream; `json` is its text. */
  readonly frame: (json: string, object: object) => string;
  /** What a stream that did not fail ends with. */
  readonly end: string;
  /** What keeps a silent stream alive; absent where the format has nothing for that. */
  readonly ping?: string;
}

/**
 * One way in which clients ask for completions. `Body`: its checked request; `Whole`, `Event`: its answers; `Request`: what a
 * body asks for, with what answers say again of it.
 */
export interface WireDialect<Body extends object, Whole, Event, Request extends WireRequest = WireRequest> {
  /** Of bodies, of whole answers, and of the objects of a stream. */
  readonly schemas: { readonly request: TSchema; readonly whole: TSchema; readonly event: TSchema };
  /** Answers' ids begin with it. */
  readonly idPrefix: string;
  /** Top-level fields of a body whose JSON text `parse` wants too. */
  readonly sources: readonly string[];
  /** Checks the value of a body. `sources`: those fields that it has, as text. Errors: those of its fields. */
  parse(value: unknown, sources: Readonly<Record<string, string>>): Body;
  /** What a checked body asks for. */
  toRequest(body: Body): Request;
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
