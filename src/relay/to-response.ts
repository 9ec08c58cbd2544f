import type { HttpResponse } from '../http/index.js';
import type { ApiDialect } from './answer/dialect.js';
import type { AnswerHooks } from './answer/answer-hooks.js';
import { earlyEndOf } from './answer/early-end.js';
import { RelayedBody } from './answer/relayed-body.js';
import { AnswerTee } from './answer/tee.js';
import { fieldOf, toAnswerFields, toTrailerFields } from './headers/fields.js';
import type { UpstreamAnswer } from './upstream/call.js';

/** Facts of the request that an answer belongs to. */
export interface ResponseOptions {
  /** Of the request, in upper case. */
  readonly method: string;
  /** How its usage is read; absent: nothing of it is. */
  readonly dialect?: ApiDialect | undefined;
  /** The relay asked for usage and the client did not. */
  readonly takeOutUsage?: boolean | undefined;
  /**
   * Estimates the tokens of the prompt from its text, if the upstream does not report them; called once at most.
   * Absent: no estimate.
   */
  readonly estimatePrompt?: (() => number) | undefined;
  /** Fields, by name in lower case, that clients shall not get. */
  readonly isDropped?: ((name: string) => boolean) | undefined;
  readonly hooks?: AnswerHooks | undefined;
}

/** An answer to hand to the listener, and its body while it passes. */
export interface RelayedResponse {
  readonly response: HttpResponse;
  readonly body: RelayedBody;
}

/** The answer of an upstream as an answer of ours: its status, fields, bytes and trailers. */
export function toResponse(answer: UpstreamAnswer, options: ResponseOptions): RelayedResponse {
  const { method, dialect, takeOutUsage = false, estimatePrompt = () => 0, isDropped, hooks = {} } = options;
  const { status, fields } = answer;
  const contentType = fieldOf(fields, 'content-type');
  const contentEncoding = fieldOf(fields, 'content-encoding');
  const isBodiless = method === 'HEAD' || status === 204 || status === 304;
  const tee =
    dialect === undefined || isBodiless
      ? undefined
      : new AnswerTee({ dialect, status, contentType, contentEncoding, takeOutUsage, estimatePrompt });
  const dropLength = tee?.takesOut === true;
  const kept = toAnswerFields(fields, { dropLength, isDropped });
  const contentLength = fieldOf(kept, 'content-length');
  const length = contentLength === undefined ? undefined : Number(contentLength);
  const body = new RelayedBody(answer, {
    tee,
    estimatePrompt,
    isBodiless,
    length,
    earlyEnd: earlyEndOf({ contentType, contentEncoding, length }),
    hooks,
  });
  return {
    body,
    response: { status, headers: kept, body, trailers: () => toTrailerFields(answer.trailers()) },
  };
}
