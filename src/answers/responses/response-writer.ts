import {
  toErrorBody,
  toHttpAnswer,
  type ResponseObject,
  type ResponsesErrorEvent,
  type ResponsesEvent,
  type ResponsesUsage,
} from '../../api/index.js';
import type { ErrorData, KindOf } from '../../base/index.js';
import type { AnswerEvent, AnswerNames, AnswerPiece, AnswerStop, AnswerTokens } from '../answer-events.js';
import {
  openCall,
  openCustomCall,
  openMessage,
  openReasoning,
  openSummary,
  type EventBody,
  type OpenItem,
} from './open-items.js';
import type { ResponsesAsked } from './responses-echo.js';

type Status = ResponseObject['status'];

/** An error in OpenAI's form. */
export type ToldError = ResponsesErrorEvent['error'];

/** Writes an answer from events: as the objects of a stream, and as the present state of the whole. */
export class ResponseWriter {
  readonly #request: ResponsesAsked;
  readonly #head: AnswerNames;
  readonly #items: { readonly open: OpenItem; status: 'in_progress' | 'completed' | 'incomplete' }[] = [];
  #numEvents = 0;
  #status: Status = 'in_progress';
  #end: AnswerStop | undefined;
  #usage: AnswerTokens | undefined;
  #error: ResponseObject['error'] = null;

  constructor(request: ResponsesAsked, head: AnswerNames) {
    this.#request = request;
    this.#head = head;
  }

  add(event: AnswerEvent): ResponsesEvent[] {
    if (event.type === 'begin') {
      const response = this.toResponse();
      return this.#number([
        { type: 'response.created', response },
        { type: 'response.in_progress', response },
      ]);
    }
    if (event.type === 'end') return this.#finish(event.usage);
    const bodies = event.deltas.flatMap((delta) => this.#addDelta(delta));
    if (event.end !== undefined) bodies.push(...this.#endChoice(event.end));
    return this.#number(bodies);
  }

  /** The end of a failed stream: the error, and the partial answer. */
  fail(error: ErrorData, kindOf: KindOf): (ResponsesEvent | ResponsesErrorEvent)[] {
    return this.failWith(toErrorBody(error, kindOf).error, toHttpAnswer(error.code, kindOf).status);
  }

  /** The same for an error that is data already. `status`: the status that an answer without output would have. */
  failWith(told: ToldError, status: number): (ResponsesEvent | ResponsesErrorEvent)[] {
    this.#status = 'failed';
    for (const item of this.#items) if (item.status === 'in_progress') item.status = 'incomplete';
    // The event before has our own code.
    const code = status === 429 ? 'rate_limit_exceeded' : status < 500 ? 'invalid_prompt' : 'server_error';
    this.#error = { code, message: told.message };
    const event = toErrorEventOf(told, this.#numEvents++);
    return [event, ...this.#number([{ type: 'response.failed', response: this.toResponse() }])];
  }

  /** The present state of the answer. */
  toResponse(): ResponseObject {
    const { id, created, model, unixSeconds } = this.#head;
    const isOver = this.#status === 'completed' || this.#status === 'incomplete';
    return {
      id,
      object: 'response',
      created_at: created,
      completed_at: isOver ? unixSeconds() : null,
      status: this.#status,
      error: this.#error,
      incomplete_details: this.#status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
      model,
      output: this.#items.map(({ open, status }) => open.item(status)),
      usage: this.#usage === undefined ? null : toUsage(this.#usage),
      previous_response_id: null,
      store: false,
      background: false,
      service_tier: 'default',
      ...this.#request.echo,
    };
  }

  #addDelta(delta: AnswerPiece): EventBody[] {
    const last = this.#items.at(-1);
    if (last?.status === 'in_progress' && last.open.takes(delta)) return last.open.add(delta);
    const closing = this.#closeLast('completed');
    const open = this.#open(delta);
    this.#items.push({ open, status: 'in_progress' });
    return [...closing, ...open.begin(), ...open.add(delta)];
  }

  #open(delta: AnswerPiece): OpenItem {
    const { newId, newCallId } = this.#head;
    const index = this.#items.length;
    if (delta.type === 'content') return openMessage({ id: `msg_${newId()}`, index });
    if (delta.type === 'toolCall') {
      const itemId = newId();
      const { id: callId = newCallId(), name = '' } = delta;
      const form = this.#request.callForms?.get(name) ?? { kind: 'function', name };
      if (form.kind === 'custom') return openCustomCall({ id: `ctc_${itemId}`, index }, callId, form);
      return openCall({ id: `fc_${itemId}`, index }, callId, form);
    }
    const place = { id: `rs_${newId()}`, index };
    const { tellsSummary, sealsReasoning } = this.#request;
    return tellsSummary ? openSummary(place, sealsReasoning) : openReasoning(place, sealsReasoning);
  }

  #closeLast(status: 'completed' | 'incomplete'): EventBody[] {
    const last = this.#items.at(-1);
    if (last?.status !== 'in_progress') return [];
    last.status = status;
    return last.open.close(status);
  }

  #endChoice(end: AnswerStop): EventBody[] {
    this.#end = end;
    const status = end.finishReason === 'length' ? 'incomplete' : 'completed';
    // Clients read the text of the first item: an answer without any has an empty one.
    const empty = this.#items.length === 0 ? this.#addDelta({ type: 'content', text: '' }) : [];
    return [...empty, ...this.#closeLast(status)];
  }

  #finish(usage: AnswerTokens): ResponsesEvent[] {
    this.#usage = usage;
    const status = this.#end?.finishReason === 'length' ? 'incomplete' : 'completed';
    this.#status = status;
    return this.#number([{ type: `response.${status}`, response: this.toResponse() }]);
  }

  #number(bodies: readonly EventBody[]): ResponsesEvent[] {
    return bodies.map((body) => ({ ...body, sequence_number: this.#numEvents++ }));
  }
}

/** The error as an `error` event. */
export function toErrorEvent(error: ErrorData, kindOf: KindOf, sequenceNumber = 0): ResponsesErrorEvent {
  return toErrorEventOf(toErrorBody(error, kindOf).error, sequenceNumber);
}

function toErrorEventOf({ type, code, message, param }: ToldError, sequenceNumber: number): ResponsesErrorEvent {
  return {
    type: 'error',
    sequence_number: sequenceNumber,
    code,
    message,
    param,
    error: { type, code, message, param },
  };
}

function toUsage({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: AnswerTokens): ResponsesUsage {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  };
}
