import type {
  CustomCallItem,
  FunctionCallItem,
  ItemStatus,
  MessageItem,
  OutputItem,
  OutputText,
  ReasoningItem,
  ResponsesEvent,
  TokenLogprob,
} from '../../api/index.js';
import type { AnswerPiece } from '../answer-events.js';
import { toTokenLogprobs } from '../token-logprobs.js';
import { CustomText } from './custom-tool.js';
import type { CallForm } from './responses-echo.js';
import { sealReasoning } from './sealed-reasoning.js';

/** An event without its position in the stream. */
export type EventBody = ResponsesEvent extends infer Event
  ? Event extends ResponsesEvent
    ? Omit<Event, 'sequence_number'>
    : never
  : never;

/** An item of the answer that is still open. */
export interface OpenItem {
  /** Whether a delta belongs to it. */
  takes(delta: AnswerPiece): boolean;
  /** The events of its beginning. */
  begin(): EventBody[];
  add(delta: AnswerPiece): EventBody[];
  /** The events of its end. */
  close(status: ItemStatus): EventBody[];
  /** Its present state. */
  item(status: ItemStatus): OutputItem;
}

/** Index and id of an item. */
export interface ItemPosition {
  readonly id: string;
  readonly index: number;
}

/** The assistant's message: one part of text. */
export function openMessage({ id, index }: ItemPosition): OpenItem {
  const place = { item_id: id, output_index: index, content_index: 0 };
  let text = '';
  const logprobs: TokenLogprob[] = [];
  const toPart = (): OutputText => ({ type: 'output_text', text, annotations: [], logprobs: [...logprobs] });
  const toItem = (status: ItemStatus, content: OutputText[]): MessageItem => ({
    type: 'message',
    id,
    role: 'assistant',
    status,
    content,
  });
  return {
    takes: ({ type }) => type === 'content',
    begin: () => [
      { type: 'response.output_item.added', output_index: index, item: toItem('in_progress', []) },
      { type: 'response.content_part.added', ...place, part: toPart() },
    ],
    add(delta) {
      if (delta.type !== 'content') return [];
      const tokens = toTokenLogprobs(delta.logprobs ?? []);
      text += delta.text;
      logprobs.push(...tokens);
      return [{ type: 'response.output_text.delta', ...place, delta: delta.text, logprobs: tokens }];
    },
    close: (status) => [
      { type: 'response.output_text.done', ...place, text, logprobs: [...logprobs] },
      { type: 'response.content_part.done', ...place, part: toPart() },
      { type: 'response.output_item.done', output_index: index, item: toItem(status, [toPart()]) },
    ],
    item: (status) => toItem(status, [toPart()]),
  };
}

/** The tool of a call, as the client named it. */
type CalledTool = Pick<CallForm, 'name' | 'namespace'>;

/** A call of a function. */
export function openCall({ id, index }: ItemPosition, callId: string, { name, namespace }: CalledTool): OpenItem {
  const place = { item_id: id, output_index: index };
  let argumentsText = '';
  const toItem = (status: ItemStatus): FunctionCallItem => ({
    type: 'function_call',
    id,
    call_id: callId,
    name,
    ...(namespace !== undefined && { namespace }),
    arguments: argumentsText,
    status,
  });
  return {
    takes: (delta) => delta.type === 'toolCall' && delta.name === undefined,
    begin: () => [{ type: 'response.output_item.added', output_index: index, item: toItem('in_progress') }],
    add(delta) {
      if (delta.type !== 'toolCall' || delta.argumentsText === '') return [];
      argumentsText += delta.argumentsText;
      return [{ type: 'response.function_call_arguments.delta', ...place, delta: delta.argumentsText }];
    },
    close: (status) => [
      { type: 'response.function_call_arguments.done', ...place, name, arguments: argumentsText },
      { type: 'response.output_item.done', output_index: index, item: toItem(status) },
    ],
    item: toItem,
  };
}

/** A call of a custom tool: the text from the arguments of the function that replaces it. */
export function openCustomCall({ id, index }: ItemPosition, callId: string, { name, namespace }: CalledTool): OpenItem {
  const place = { item_id: id, output_index: index };
  const input = new CustomText();
  const toItem = (status: ItemStatus): CustomCallItem => ({
    type: 'custom_tool_call',
    id,
    call_id: callId,
    name,
    ...(namespace !== undefined && { namespace }),
    input: input.text,
    status,
  });
  const toDelta = (delta: string): EventBody[] =>
    delta === '' ? [] : [{ type: 'response.custom_tool_call_input.delta', ...place, delta }];
  return {
    takes: (delta) => delta.type === 'toolCall' && delta.name === undefined,
    begin: () => [{ type: 'response.output_item.added', output_index: index, item: toItem('in_progress') }],
    add: (delta) => (delta.type === 'toolCall' ? toDelta(input.add(delta.argumentsText)) : []),
    close: (status) => [
      ...toDelta(input.finish()),
      { type: 'response.custom_tool_call_input.done', ...place, input: input.text },
      { type: 'response.output_item.done', output_index: index, item: toItem(status) },
    ],
    item: toItem,
  };
}

/** Reasoning as the model wrote it. `seals`: the item has it once more, sealed. */
export function openReasoning({ id, index }: ItemPosition, seals: boolean): OpenItem {
  const place = { item_id: id, output_index: index, content_index: 0 };
  let text = '';
  const toItem = (status: ItemStatus, content: ReasoningItem['content'] = []): ReasoningItem => ({
    type: 'reasoning',
    id,
    summary: [],
    content,
    ...(seals && content.length > 0 && { encrypted_content: sealReasoning(text) }),
    status,
  });
  const toPart = () => ({ type: 'reasoning_text' as const, text });
  return {
    takes: ({ type }) => type === 'reasoning',
    begin: () => [
      { type: 'response.output_item.added', output_index: index, item: toItem('in_progress') },
      { type: 'response.content_part.added', ...place, part: toPart() },
    ],
    add(delta) {
      if (delta.type !== 'reasoning') return [];
      text += delta.text;
      return [{ type: 'response.reasoning_text.delta', ...place, delta: delta.text }];
    },
    close: (status) => [
      { type: 'response.reasoning_text.done', ...place, text },
      { type: 'response.content_part.done', ...place, part: toPart() },
      { type: 'response.output_item.done', output_index: index, item: toItem(status, [toPart()]) },
    ],
    item: (status) => toItem(status, [toPart()]),
  };
}

/** The same for clients that asked for a summary and read nothing else. */
export function openSummary({ id, index }: ItemPosition, seals: boolean): OpenItem {
  const place = { item_id: id, output_index: index, summary_index: 0 };
  let text = '';
  const toPart = () => ({ type: 'summary_text' as const, text });
  const toItem = (status: ItemStatus, summary: ReasoningItem['summary']): ReasoningItem => ({
    type: 'reasoning',
    id,
    summary,
    ...(seals && summary.length > 0 && { encrypted_content: sealReasoning(text) }),
    status,
  });
  return {
    takes: ({ type }) => type === 'reasoning',
    begin: () => [
      { type: 'response.output_item.added', output_index: index, item: toItem('in_progress', []) },
      { type: 'response.reasoning_summary_part.added', ...place, part: toPart() },
    ],
    add(delta) {
      if (delta.type !== 'reasoning') return [];
      text += delta.text;
      return [{ type: 'response.reasoning_summary_text.delta', ...place, delta: delta.text }];
    },
    close: (status) => [
      { type: 'response.reasoning_summary_text.done', ...place, text },
      { type: 'response.reasoning_summary_part.done', ...place, part: toPart() },
      { type: 'response.output_item.done', output_index: index, item: toItem(status, [toPart()]) },
    ],
    item: (status) => toItem(status, [toPart()]),
  };
}
