import { AppError, describe } from '../../base/index.js';
import { exactText, memberText, passMembers, setMembers, toFunctionText, type ChatMembers } from './chat-body.js';
import { ChatTurns, type TurnPart } from './chat-turns.js';
import { missing, objectOf, objectsOf, optionalText, requiredText, wrongType, type Fields } from './fields.js';
import { IgnoredNames } from './ignored-names.js';
import { fileOf, imageOf } from './message-media.js';
import type { TranslatedRequest } from './translated-request.js';

/** Members of Anthropic's API: what is not among them is a field of local servers, and passes. */
const OWN: ReadonlySet<string> = new Set(
  (
    'model stream messages system tools tool_choice max_tokens stop_sequences thinking output_config ' +
    'output_format metadata service_tier container context_management mcp_servers inference_geo speed ' +
    'cache_control chat_template_kwargs cache_salt diagnostics betas'
  ).split(' '),
);

/** A line of Claude Code for Anthropic's own billing, another in each request: behind it no prefix would be cached. */
const BILLING_LINE = /^x-anthropic-billing-header:[^\n]*\n?/;
/** Between blocks of text, which are paragraphs: clients put no space around them. */
const BETWEEN_BLOCKS = '\n';

/** A body of the messages API as a request of chat completions. Errors: `missing_required_parameter`, `invalid_type`, `invalid_value`. */
export function messagesToChat(body: Fields, sources: Readonly<Record<string, string>>): TranslatedRequest {
  const ignored = new IgnoredNames();
  const members: ChatMembers = new Map();
  passMembers(members, body, OWN);
  setMembers(members, { messages: toMessages(body, sources['messages'], ignored) });
  const names = setTools(members, body, sources['tools'], ignored);
  setChoice(members, objectOf(body['tool_choice'], 'tool_choice'), names);
  setThinking(members, body);
  setFormat(members, objectOf(body['output_config'], 'output_config'));
  const maxTokens = body['max_tokens'];
  if (maxTokens === undefined) throw missing('max_tokens');
  if (typeof maxTokens !== 'number') throw wrongType('max_tokens', 'a number', maxTokens);
  const stops = stopsOf(body['stop_sequences']);
  setMembers(members, { max_tokens: maxTokens, stop: stops.length === 0 ? undefined : stops });
  for (const field of ['mcp_servers', 'container', 'context_management']) if (!isEmpty(body[field])) ignored.add(field);
  const isStream = body['stream'] === true;
  if (isStream) setMembers(members, { stream: true });
  const hidesThinking = objectOf(body['thinking'], 'thinking')?.['display'] === 'omitted';
  return { members, ignored: ignored.names, isStream, stops, maxTokens, hidesThinking };
}

function toMessages({ system, messages }: Fields, source: string | undefined, ignored: IgnoredNames): Fields[] {
  if (messages === undefined) throw missing('messages');
  const turns = new ChatTurns();
  const told = toText(system, 'system', ignored).replace(BILLING_LINE, '');
  if (told !== '') turns.say('system', [told]);
  objectsOf(messages, 'messages').forEach((message, index) => {
    const path = `messages[${index}].`;
    const { role, content } = message;
    if (role !== 'user' && role !== 'assistant' && role !== 'system') {
      const param = `${path}role`;
      throw new AppError('invalid_value', `${param} must be user, assistant or system; it is ${describe(role, true)}`, {
        param,
      });
    }
    const blocks =
      typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content, `${path}content`);
    const contentText = (): string | undefined => memberText(source, index, 'content');
    if (role === 'assistant') addAssistant(turns, { blocks, path: `${path}content`, ignored, contentText });
    else addOthers(turns, role, { blocks, path: `${path}content`, ignored, contentText });
  });
  return turns.toMessages();
}

/** The blocks of a message, and where they are. */
interface Placed {
  readonly blocks: readonly Fields[];
  readonly path: string;
  readonly ignored: IgnoredNames;
  /** The text of the blocks, as the body wrote it. */
  readonly contentText: () => string | undefined;
}

function addAssistant(turns: ChatTurns, { blocks, path, ignored, contentText }: Placed): void {
  blocks.forEach((block, index) => {
    const at = `${path}[${index}].`;
    const { type } = block;
    if (type === 'text') {
      const text = requiredText(block, 'text', at);
      if (text !== '') turns.say('assistant', [text]);
    } else if (type === 'thinking') turns.think(optionalText(block, 'thinking', at) ?? '');
    else if (type === 'tool_use') {
      const { input = {} } = block;
      const argumentsText = exactText(input, () => memberText(contentText(), index, 'input'));
      turns.call({ id: requiredText(block, 'id', at), name: requiredText(block, 'name', at), argumentsText });
      // Only the server that redacted it can read it.
    } else if (type !== 'redacted_thinking') ignored.addType(type);
  });
}

function addOthers(turns: ChatTurns, role: 'user' | 'system', { blocks, path, ignored }: Placed): void {
  const parts: TurnPart[] = [];
  let texts: string[] = [];
  const addTexts = (): void => {
    if (texts.length > 0) parts.push(texts.join(BETWEEN_BLOCKS));
    texts = [];
  };
  const addMedia = (part: TurnPart | undefined, type: unknown): void => {
    if (part === undefined) return ignored.addType(type);
    addTexts();
    parts.push(part);
  };
  // Results stand behind the calls that they are of: whatever else a turn has comes after them.
  blocks.forEach((block, index) => {
    const at = `${path}[${index}].`;
    const { type } = block;
    if (type === 'text') texts.push(requiredText(block, 'text', at));
    else if (type === 'image') addMedia(imageOf(block), type);
    else if (type === 'document') addMedia(fileOf(block), type);
    else if (type === 'tool_result') {
      const callId = requiredText(block, 'tool_use_id', at);
      const { content } = block;
      turns.result(
        callId,
        toText(content, `${at}content`, ignored, (image) => addMedia(imageOf(image), 'image')),
      );
    } else ignored.addType(type);
  });
  addTexts();
  if (parts.length > 0) turns.say(role, parts);
}

/** Blocks of text as one text. `onImage`: takes the images among them. */
function toText(content: unknown, path: string, ignored: IgnoredNames, onImage?: (block: Fields) => void): string {
  if (typeof content === 'string') return content;
  const texts: string[] = [];
  objectsOf(content, path).forEach((block, index) => {
    if (block['type'] === 'text') texts.push(requiredText(block, 'text', `${path}[${index}].`));
    else if (block['type'] === 'image' && onImage !== undefined) onImage(block);
    else ignored.addType(block['type']);
  });
  return texts.join(BETWEEN_BLOCKS);
}

/** The tools of the client, whose names it returns. Those that Anthropic's servers run, or define, are left out. */
function setTools(members: ChatMembers, body: Fields, source: string | undefined, ignored: IgnoredNames): string[] {
  const names: string[] = [];
  const texts: string[] = [];
  objectsOf(body['tools'], 'tools').forEach((tool, index) => {
    const { type = null, input_schema: schema, strict } = tool;
    if (type !== null && type !== 'custom') return ignored.addType(type);
    const at = `tools[${index}].`;
    const name = requiredText(tool, 'name', at);
    if (objectOf(schema, `${at}input_schema`) === undefined) throw missing(`${at}input_schema`);
    names.push(name);
    texts.push(
      toFunctionText({
        name,
        description: optionalText(tool, 'description', at),
        parameters: exactText(schema, () => memberText(source, index, 'input_schema')),
        strict: typeof strict === 'boolean' ? strict : undefined,
      }),
    );
  });
  if (texts.length > 0) members.set('tools', `[${texts.join(',')}]`);
  return names;
}

function setChoice(members: ChatMembers, choice: Fields | undefined, names: readonly string[]): void {
  if (choice === undefined || names.length === 0) return;
  const { type, name, disable_parallel_tool_use: isSingle } = choice;
  if (isSingle === true) setMembers(members, { parallel_tool_calls: false });
  if (type === 'any') setMembers(members, { tool_choice: 'required' });
  else if (type === 'auto' || type === 'none') setMembers(members, { tool_choice: type });
  // A tool that was left out cannot be called.
  else if (type === 'tool' && typeof name === 'string' && names.includes(name)) {
    setMembers(members, { tool_choice: { type: 'function', function: { name } } });
  }
}

/**
 * Thinking is turned off, and its effort set, by variables of the template: servers that know none of them pass over them,
 * while some refuse `reasoning_effort` for a model that does not think. Models that think do so where nothing is said, and
 * servers of paid models refuse what they do not know, so that nothing is. A budget in tokens has no counterpart.
 */
function setThinking(members: ChatMembers, body: Fields): void {
  const thinking = objectOf(body['thinking'], 'thinking');
  const given = objectOf(body['chat_template_kwargs'], 'chat_template_kwargs') ?? {};
  const effort = objectOf(body['output_config'], 'output_config')?.['effort'];
  const type = thinking?.['type'];
  const variables = {
    ...(type === 'disabled' && { enable_thinking: false }),
    ...(type !== 'disabled' && typeof effort === 'string' && { reasoning_effort: effort }),
    ...given,
  };
  if (Object.keys(variables).length > 0) setMembers(members, { chat_template_kwargs: variables });
}

function setFormat(members: ChatMembers, config: Fields | undefined): void {
  const format = objectOf(config?.['format'], 'output_config.format');
  if (format === undefined) return;
  const { schema } = format;
  if (schema === undefined) throw missing('output_config.format.schema');
  setMembers(members, {
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
  });
}

function stopsOf(value: unknown): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrongType('stop_sequences', 'a list', value);
  return value.map((stop: unknown, index) => {
    if (typeof stop !== 'string') throw wrongType(`stop_sequences[${index}]`, 'a string', stop);
    return stop;
  });
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}
