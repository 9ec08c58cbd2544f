import { toCustomArguments, unsealReasoning } from '../../answers/index.js';
import type { InputItem, ItemPart } from '../../api/index.js';
import { AppError } from '../../base/index.js';
import { textParts } from '../../completion/index.js';
import { TurnList } from '../turn-list.js';
import { missingField, unsupportedPart } from '../parsing/request-errors.js';
import type { ResponsesRequest } from '../request-schemas.js';
import type { ToolOffer } from '../tools/tool-offer.js';
import { MORE_TOOLS } from './responses-tools.js';

/** Types of items that are read, or refused with a reason; others are left out. */
export const servedItems: readonly string[] = [
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'reasoning',
  'item_reference',
  MORE_TOOLS,
];

/** Types of parts that are text. */
const TEXT_PARTS: readonly string[] = ['input_text', 'output_text', 'text', 'reasoning_text', 'summary_text'];

/**
 * The turns of instructions and input. Calls follow the assistant's turn before them, and reasoning belongs to the turn
 * or the call after it. `offer`: the tools, whose names in the prompt calls get. Errors: `missing_required_parameter`,
 * `unsupported_value`.
 */
export function toConversation(
  { input, instructions }: Pick<ResponsesRequest, 'input' | 'instructions'>,
  offer: ToolOffer,
): TurnList {
  const conversation = new TurnList();
  if (instructions !== undefined) conversation.addSystem(instructions, 'instructions');
  if (typeof input === 'string') {
    conversation.add({ role: 'user', content: textParts(input) }, 'input');
    return conversation;
  }
  let reasoning: string | undefined;
  let lastType = '';
  input.forEach((item, index) => {
    const path = `input[${index}]`;
    const type = item.type ?? 'message';
    if (type === 'reasoning') {
      const text = readReasoning(item, path);
      if (text !== '') reasoning = (reasoning ?? '') + text;
    } else if (!servedItems.includes(type)) {
      // The item before it belongs to the one behind it.
      conversation.ignored.add(type);
      return;
    } else if (type !== MORE_TOOLS) {
      const continues = CONTINUED.includes(lastType);
      addItem(conversation, { item, type, path, reasoning, continues, offer });
      reasoning = undefined;
    }
    lastType = type;
  });
  return conversation;
}

/** Types of items behind which a call is of the same turn. */
const CONTINUED: readonly string[] = ['function_call', 'custom_tool_call', 'message'];

/** An item, and the reasoning before it. */
interface Placed {
  readonly item: InputItem;
  readonly type: string;
  readonly path: string;
  readonly reasoning: string | undefined;
  /** It follows a message or a call directly. */
  readonly continues: boolean;
  readonly offer: ToolOffer;
}

function addItem(conversation: TurnList, placed: Placed): void {
  const { item, type, path, reasoning, continues, offer } = placed;
  if (type === 'message') {
    const { role, content } = item;
    if (role === undefined) throw missingField(`${path}.role`);
    if (content === undefined || content === null) throw missingField(`${path}.content`);
    const text = readText(content, `${path}.content`);
    if (role === 'developer' || role === 'system') conversation.addSystem(text, path);
    else conversation.add({ role, content: textParts(text), ...(role === 'assistant' && { reasoning }) }, path);
  } else if (type === 'function_call' || type === 'custom_tool_call') {
    const isCustom = type === 'custom_tool_call';
    const call = {
      id: required(item.call_id, `${path}.call_id`),
      name: offer.shownName(required(item.name, `${path}.name`), item.namespace),
      argumentsText: isCustom ? toCustomArguments(required(item.input, `${path}.input`)) : (item.arguments ?? ''),
    };
    if (!continues || !conversation.isAssistants) conversation.add({ role: 'assistant', content: [], reasoning }, path);
    conversation.addCall(call, path);
  } else if (type !== 'item_reference') {
    const callId = required(item.call_id, `${path}.call_id`);
    if (item.output === undefined) throw missingField(`${path}.output`);
    conversation.add({ role: 'tool', content: textParts(readText(item.output, `${path}.output`)), callId }, path);
  } else throw referencedItem(`${path}.type`);
}

/** The model's own text, or if a client has only that, the summary or the sealed text. */
function readReasoning({ content, summary, encrypted_content: sealed }: InputItem, path: string): string {
  const written = content === undefined || content === null ? '' : readText(content, `${path}.content`);
  const told = written === '' ? readText(summary ?? '', `${path}.summary`) : written;
  return told === '' ? (unsealReasoning(sealed ?? '') ?? '') : told;
}

function readText(content: string | readonly ItemPart[], path: string): string {
  if (typeof content === 'string') return content;
  const texts = content.map(({ type, text, refusal }, index) => {
    const param = `${path}[${index}]`;
    if (type === 'refusal') return required(refusal, `${param}.refusal`);
    if (!TEXT_PARTS.includes(type)) throw unsupportedPart(param, type);
    return required(text, `${param}.text`);
  });
  return texts.join('');
}

function required(value: string | null | undefined, param: string): string {
  if (value === undefined || value === null) throw missingField(param);
  return value;
}

function referencedItem(param: string): AppError {
  const why = 'and this server keeps no items; send the items themselves (clients do with "store": false)';
  return new AppError('unsupported_value', `${param} is item_reference, ${why}`, { param });
}
