import { stringifyInOrder } from '../../base/index.js';
import { MessageWriter, ResponseWriter, toExactJson, type AnswerEvent, type AnswerNames } from '../../answers/index.js';
import type { TranslatedRequest } from '../requests/translated-request.js';
import { statusOfFault, toMessagesFault, toOpenAiFault, type UpstreamFault } from './upstream-fault.js';

/** Writes an answer in the API of its client. */
export interface TranslatedAnswer {
  /** The objects of a stream that an event makes. */
  add(event: AnswerEvent): readonly object[];
  /** The answer as one object, when all events were added. */
  toWhole(): object;
  /** What ends a stream that failed. */
  fail(fault: UpstreamFault): readonly object[];
  /** The body of an answer that failed before it began. */
  toError(fault: UpstreamFault, status: number): object;
  toJson(object: object): string;
}

/** A writer for the API that a request came by. */
export function createTranslatedAnswer(request: TranslatedRequest, names: AnswerNames): TranslatedAnswer {
  const { responses, maxTokens } = request;
  if (responses === undefined) {
    const writer = new MessageWriter(names, maxTokens);
    return {
      add: (event) => writer.add(event),
      toWhole: () => writer.toMessage(),
      fail: (fault) => [toMessagesFault(fault, statusOfFault(fault))],
      toError: toMessagesFault,
      toJson: (object) => (Reflect.get(object, 'type') === 'message' ? toExactJson(object) : JSON.stringify(object)),
    };
  }
  const writer = new ResponseWriter(responses, names);
  return {
    add: (event) => writer.add(event),
    toWhole: () => writer.toResponse(),
    fail: (fault) => writer.failWith(toOpenAiFault(fault, statusOfFault(fault)), statusOfFault(fault)),
    toError: (fault, status) => ({ error: toOpenAiFault(fault, status) }),
    toJson: stringifyInOrder,
  };
}

/** One object as a server-sent event, which is called by its type. */
export function toEventText({ toJson }: TranslatedAnswer, object: object): string {
  return `event: ${String(Reflect.get(object, 'type'))}\ndata: ${toJson(object)}\n\n`;
}
