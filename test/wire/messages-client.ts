// A client of the messages API, which holds streams to their order while it reads them.
import type { ContentBlock, MessageAnswer, MessagesErrorBody, MessagesEvent } from '../../src/api/index.js';
import { emptyChoice, type ReadAnswer, type ReadChoice, type WireClient } from './wire-client.js';

/** What the blocks of a message say. */
function readBlocks({ content, stop_reason: finish }: MessageAnswer): ReadChoice {
  const choice = { ...emptyChoice(), finish };
  for (const block of content) {
    if (block.type === 'text') choice.content += block.text;
    else if (block.type === 'thinking') choice.reasoning += block.thinking;
    else choice.calls.push({ id: block.id, name: block.name, argumentsText: JSON.stringify(block.input) });
  }
  return choice;
}

function readMessage(message: MessageAnswer): ReadAnswer {
  const { id, model, usage } = message;
  return {
    ids: new Set([id]),
    models: new Set([model]),
    choices: [readBlocks(message)],
    usage: {
      promptTokens: usage.input_tokens + usage.cache_read_input_tokens,
      completionTokens: usage.output_tokens,
      cachedTokens: usage.cache_read_input_tokens,
      reasoningTokens: usage.output_tokens_details?.thinking_tokens ?? 0,
    },
  };
}

/** A block with what a delta adds to it. Throws where that is of another kind. */
function grow(block: ContentBlock, delta: Extract<MessagesEvent, { type: 'content_block_delta' }>['delta']): string {
  if (delta.type === 'text_delta' && block.type === 'text') return (block.text += delta.text);
  if (delta.type === 'thinking_delta' && block.type === 'thinking') return (block.thinking += delta.thinking);
  if (delta.type === 'signature_delta' && block.type === 'thinking') return block.signature;
  throw new Error(`a ${delta.type} in a block of the type ${block.type}`);
}

/** The message that a stream makes. Every rule of the order is checked. */
export function readMessagesStream(events: readonly MessagesEvent[]): MessageAnswer {
  const [start, ...rest] = events;
  if (start?.type !== 'message_start') throw new Error('a stream begins with message_start');
  const message = structuredClone(start.message);
  if (message.content.length > 0 || message.stop_reason !== null) throw new Error('a new message is empty');
  let isOpen = false;
  let json = '';
  const stop = rest.pop();
  const end = rest.pop();
  for (const event of rest) {
    if (event.type === 'content_block_start') {
      if (isOpen || event.index !== message.content.length) throw new Error('a block before the last has ended');
      message.content.push(structuredClone(event.content_block));
      isOpen = true;
      json = '';
      continue;
    }
    if (!('index' in event) || !isOpen || event.index !== message.content.length - 1) {
      throw new Error(`an event of no open block: ${JSON.stringify(event)}`);
    }
    const block = message.content[event.index];
    if (block === undefined) throw new Error('the block is there');
    if (event.type === 'content_block_delta') {
      if (event.delta.type === 'input_json_delta' && block.type === 'tool_use') json += event.delta.partial_json;
      else grow(block, event.delta);
    } else {
      if (block.type === 'tool_use') block.input = JSON.parse(json) as Record<string, unknown>;
      isOpen = false;
    }
  }
  if (isOpen) throw new Error('a block that has not ended');
  if (end?.type !== 'message_delta' || stop?.type !== 'message_stop') {
    throw new Error('a stream ends with message_delta and message_stop');
  }
  return { ...message, ...end.delta, usage: { ...message.usage, ...end.usage } };
}

/** Anthropic's messages. */
export const messages: WireClient = {
  maxChoices: 1,
  tellsLogprobs: false,
  tellsUsageAlways: true,
  body: ({ isStream }) => ({
    model: 'm',
    max_tokens: 3,
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ name: 'f', input_schema: { type: 'object' } }],
    stream: isStream,
  }),
  says: ['content', 'reasoning', 'toolCall'],
  finishes: new Map([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['toolCalls', 'tool_use'],
  ]),
  readWhole: (whole) => readMessage(whole as MessageAnswer),
  readStream: (objects) => readMessage(readMessagesStream(objects as readonly MessagesEvent[])),
  readError: (body) => (body as MessagesErrorBody).error,
};
