import type { ContentBlockParam, MessageParam, TextBlockParam } from '../../api/index.js';
import { AppError, stringifyInOrder } from '../../base/index.js';
import { textParts } from '../../completion/index.js';
import { TurnList } from '../turn-list.js';
import { missingField, unsupportedPart, unsupportedValue } from '../parsing/request-errors.js';
import type { MessagesRequest } from '../request-schemas.js';

/**
 * Between blocks of text, which are paragraphs: clients put no space around them. Blocks of the model are joined
 * unchanged.
 */
const BETWEEN_BLOCKS = '\n';

/**
 * The turns of system prompt and messages: each result of a tool is a turn of its own. Errors:
 * `missing_required_parameter`, `unsupported_value`.
 */
export function toConversation({ system = '', messages }: Pick<MessagesRequest, 'system' | 'messages'>): TurnList {
  const conversation = new TurnList();
  const instructions = typeof system === 'string' ? [system] : readTexts(system, 'system');
  conversation.addSystemBlocks(instructions, BETWEEN_BLOCKS, 'system');
  messages.forEach((message, index) => addMessage(conversation, message, `messages[${index}]`));
  if (conversation.isAssistants) {
    const why = "is the assistant's and the last: an answer cannot be begun for the model; end with a turn of the user";
    throw unsupportedValue(`messages[${messages.length - 1}]`, why);
  }
  return conversation;
}

function addMessage(conversation: TurnList, { role, content }: MessageParam, path: string): void {
  if (typeof content === 'string') {
    if (role === 'system') conversation.addSystem(content, path);
    else conversation.add({ role, content: textParts(content) }, path);
  } else if (role === 'assistant') addAssistant(conversation, content, path);
  else addOthers(conversation, role, content, path);
}

function addAssistant(conversation: TurnList, blocks: readonly ContentBlockParam[], path: string): void {
  const texts: string[] = [];
  const thoughts: string[] = [];
  const calls: (() => void)[] = [];
  blocks.forEach((block, index) => {
    const param = `${path}.content[${index}]`;
    if (block.type === 'text') texts.push(required(block.text, `${param}.text`));
    else if (block.type === 'thinking') thoughts.push(required(block.thinking, `${param}.thinking`));
    else if (block.type === 'tool_use') {
      const call = {
        id: required(block.id, `${param}.id`),
        name: required(block.name, `${param}.name`),
        argumentsText: stringifyInOrder(required(block.input, `${param}.input`)),
      };
      calls.push(() => conversation.addCall(call, param));
    } else if (isOfServer(block.type)) conversation.ignored.add(block.type);
    // Sealed by another model, which alone can read it.
    else if (block.type !== 'redacted_thinking') throw refusedBlock(param, block.type, 'assistant');
  });
  const isLeftOut = blocks.length > 0 && blocks.every(({ type }) => isOfServer(type));
  if (isLeftOut) return;
  const reasoning = thoughts.length === 0 ? undefined : thoughts.join('');
  conversation.add({ role: 'assistant', content: texts.flatMap(textParts), reasoning }, path);
  for (const add of calls) add();
}

function addOthers(
  conversation: TurnList,
  role: 'user' | 'system',
  blocks: readonly ContentBlockParam[],
  path: string,
): void {
  let texts: string[] = [];
  const addText = (): void => {
    if (role === 'system') conversation.addSystemBlocks(texts, BETWEEN_BLOCKS, path);
    else if (texts.length > 0) conversation.add({ role, content: textParts(texts.join(BETWEEN_BLOCKS)) }, path);
    texts = [];
  };
  blocks.forEach((block, index) => {
    const param = `${path}.content[${index}]`;
    if (block.type === 'text') texts.push(required(block.text, `${param}.text`));
    else if (block.type === 'tool_result' && role === 'user') {
      addText();
      const callId = required(block.tool_use_id, `${param}.tool_use_id`);
      conversation.add(
        { role: 'tool', content: textParts(readText(block.content ?? '', `${param}.content`)), callId },
        param,
      );
    } else if (isOfServer(block.type)) conversation.ignored.add(block.type);
    else throw refusedBlock(param, block.type, role);
  });
  if (blocks.length === 0) texts.push('');
  addText();
}

function readText(content: string | readonly TextBlockParam[], path: string): string {
  return typeof content === 'string' ? content : readTexts(content, path).join(BETWEEN_BLOCKS);
}

function readTexts(content: readonly TextBlockParam[], path: string): string[] {
  return content.map(({ type, text }, index) => {
    const param = `${path}[${index}]`;
    if (type !== 'text') throw unsupportedPart(param, type);
    return required(text, `${param}.text`);
  });
}

/** Results of Anthropic's servers in between: calls of their own tools and of MCP servers. */
export function isOfServer(type: string): boolean {
  return type !== 'tool_result' && /^(server_tool_use|mcp_tool_use|container_upload|[a-z_]+_tool_result)$/.test(type);
}

/** Blocks of one role are not valid in another. */
function refusedBlock(param: string, type: string, role: MessageParam['role']): AppError {
  if (!['tool_use', 'tool_result', 'thinking', 'redacted_thinking'].includes(type)) return unsupportedPart(param, type);
  const message = `${param} is of type "${type}", which a turn of the role ${role} does not have`;
  return new AppError('invalid_value', message, { param });
}

function required<T>(value: T | undefined, param: string): T {
  if (value === undefined) throw missingField(param);
  return value;
}
