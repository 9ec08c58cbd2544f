// A client of the responses API, which holds streams to their order while it reads them.
import type { OutputItem, ResponseObject, ResponsesErrorEvent, ResponsesEvent } from '../../src/api/index.js';
import { bytesToText, emptyChoice, type ReadAnswer, type ReadChoice, type WireClient } from './wire-client.js';

/** What the items of an answer say. */
function readItems({ output, status, incomplete_details: details }: ResponseObject): ReadChoice {
  const choice = emptyChoice();
  for (const item of output) {
    if (item.type === 'message') {
      choice.content += item.content.map(({ text }) => text).join('');
      choice.tokenText += bytesToText(item.content.flatMap(({ logprobs }) => logprobs.flatMap(({ bytes }) => bytes)));
    } else if (item.type === 'reasoning') {
      choice.reasoning += [...(item.content ?? []), ...item.summary].map(({ text }) => text).join('');
    } else {
      const argumentsText = item.type === 'custom_tool_call' ? item.input : item.arguments;
      choice.calls.push({ id: item.call_id, name: item.name, argumentsText });
    }
  }
  choice.finish = details?.reason ?? status;
  return choice;
}

function readResponse(response: ResponseObject): ReadAnswer {
  const { id, model, usage } = response;
  return {
    ids: new Set([id]),
    models: new Set([model]),
    choices: [readItems(response)],
    usage:
      usage === null
        ? undefined
        : {
            promptTokens: usage.input_tokens,
            completionTokens: usage.output_tokens,
            cachedTokens: usage.input_tokens_details.cached_tokens,
            reasoningTokens: usage.output_tokens_details.reasoning_tokens,
          },
  };
}

/** An item as its events make it. */
interface Growing {
  readonly id: string;
  text: string;
  step: 'added' | 'part' | 'text' | 'done';
}

/** What the events between the first and the last add up to: items as they end. Every rule of their order is checked. */
export function readItemEvents(events: readonly ResponsesEvent[]): OutputItem[] {
  const items: OutputItem[] = [];
  let open: Growing | undefined;
  const expectOpen = (event: { output_index: number; item_id: string }, ...steps: Growing['step'][]): Growing => {
    if (open === undefined || event.output_index !== items.length || event.item_id !== open.id) {
      throw new Error(`an event of an item that is not open: ${JSON.stringify(event)}`);
    }
    if (!steps.includes(open.step)) throw new Error(`${JSON.stringify(event)} after the step ${open.step}`);
    return open;
  };
  for (const event of events) {
    if (event.type === 'response.output_item.added') {
      if (open !== undefined || event.output_index !== items.length)
        throw new Error('an item before the last has ended');
      if (event.item.status !== 'in_progress') throw new Error('a new item is in progress');
      open = { id: event.item.id, text: '', step: event.item.type.endsWith('_call') ? 'part' : 'added' };
    } else if (event.type === 'response.content_part.added' || event.type === 'response.reasoning_summary_part.added') {
      expectOpen(event, 'added').step = 'part';
      if (event.part.text !== '') throw new Error('a new part is empty');
    } else if ('delta' in event) {
      expectOpen(event, 'part').text += event.delta;
    } else if ('text' in event || 'arguments' in event || 'input' in event) {
      const item = expectOpen(event, 'part');
      const said = 'text' in event ? event.text : 'input' in event ? event.input : event.arguments;
      if (item.text !== said) throw new Error('deltas that are not the text');
      item.step = 'text' in event ? 'text' : 'done';
    } else if ('part' in event) {
      const item = expectOpen(event, 'text');
      if (event.part.text !== item.text) throw new Error('a part that is not its text');
      item.step = 'done';
    } else if (event.type === 'response.output_item.done') {
      const item = expectOpen({ output_index: event.output_index, item_id: event.item.id }, 'done');
      if (item.id === '') throw new Error('an item has an id');
      items.push(event.item);
      open = undefined;
    } else throw new Error(`an event ${event.type} between items`);
  }
  if (open !== undefined) throw new Error('an item that has not ended');
  return items;
}

/** The answer that a stream ends with; the events before it must say the same. */
export function readResponsesStream(events: readonly ResponsesEvent[]): ResponseObject {
  const [created, inProgress] = events;
  const last = events.at(-1);
  if (created?.type !== 'response.created' || inProgress?.type !== 'response.in_progress') {
    throw new Error('a stream begins with created and in_progress');
  }
  if (last?.type !== 'response.completed' && last?.type !== 'response.incomplete') {
    throw new Error(`a stream ends with completed or incomplete, not with ${String(last?.type)}`);
  }
  events.forEach((event, at) => {
    if (event.sequence_number !== at) throw new Error(`the event ${at} has the number ${event.sequence_number}`);
  });
  const { response } = last;
  if (response.id !== created.response.id || `response.${response.status}` !== last.type) {
    throw new Error('the last event is of another answer');
  }
  const items = readItemEvents(events.slice(2, -1));
  if (JSON.stringify(items) !== JSON.stringify(response.output)) throw new Error('the items are not those of the end');
  return response;
}

/** OpenAI's responses. */
export const responses: WireClient = {
  maxChoices: 1,
  tellsLogprobs: true,
  tellsUsageAlways: true,
  body: ({ isStream, logprobs }) => ({
    model: 'm',
    input: 'hi',
    tools: [{ type: 'function', name: 'f' }],
    stream: isStream,
    ...(logprobs && { include: ['message.output_text.logprobs'] }),
  }),
  says: ['content', 'reasoning', 'toolCall'],
  finishes: new Map([
    ['stop', 'completed'],
    ['length', 'max_output_tokens'],
    ['toolCalls', 'completed'],
  ]),
  readWhole: (whole) => readResponse(whole as ResponseObject),
  readStream: (objects) => readResponse(readResponsesStream(objects as readonly ResponsesEvent[])),
  readError: (body) => (body as ResponsesErrorEvent).error,
};
