import { fieldsOf, itemsOf, numberOf, parseJson, textOf } from '../../data/index.js';
import {
  DEFAULT_SETTINGS,
  toTitle,
  type ChatSettings,
  type Conversation,
  type Failure,
  type TokenUsage,
  type ToolCall,
  type Turn,
} from './conversation.js';
import { LIMITS } from './limits.js';

/** Identifies a file of this product and its version. */
const FORMAT = 'troupe-conversations';
const VERSION = 1;

/** Writes conversations as a file for `parseConversations`. */
export function writeConversations(conversations: readonly Conversation[]): string {
  return JSON.stringify({ format: FORMAT, version: VERSION, conversations }, undefined, 1);
}

/**
 * Reads the conversations of a file. A string result explains why the file is unreadable: the error, the limit, and
 * advice. Unknown fields of a conversation are left out.
 */
export function parseConversations(text: string): readonly Conversation[] | string {
  const { format, version, conversations } = fieldsOf(parseJson(text));
  if (format !== FORMAT) return 'The file is no export of this page. Choose a file that “Export” made.';
  if (version !== VERSION) return `The file has version ${String(version)}; this page reads version ${VERSION}.`;
  const items = itemsOf(conversations);
  if (items.length > LIMITS.conversations) {
    return `The file has ${items.length} conversations; the limit is ${LIMITS.conversations}. Import it in parts.`;
  }
  const read: Conversation[] = [];
  for (const [at, item] of items.entries()) {
    const conversation = readConversation(item);
    if (typeof conversation === 'string')
      return `Conversation ${at + 1} of the file ${conversation}. Nothing was imported.`;
    read.push(conversation);
  }
  return read;
}

/** Reads one conversation; a string result describes the error. */
export function readConversation(value: unknown): Conversation | string {
  const { id, title, createdMs, changedMs, turns, shown, settings } = fieldsOf(value);
  const key = nameOf(id);
  if (key === undefined) return `has no id of 1 to ${LIMITS.nameChars} characters`;
  const items = itemsOf(turns);
  if (items.length > LIMITS.turns) return `has ${items.length} turns; the limit is ${LIMITS.turns}`;
  const read: Turn[] = [];
  const known = new Set<string | null>([null]);
  let chars = 0;
  for (const item of items) {
    const turn = readTurn(item);
    if (turn === undefined) return `has a turn that cannot be read, or one over ${LIMITS.turnChars} characters`;
    // A turn must come after its parent, which rules out cycles.
    if (!known.has(turn.parent) || known.has(turn.id)) return 'has a turn that follows none of those before it';
    known.add(turn.id);
    chars += turn.text.length + (turn.reasoning?.length ?? 0);
    read.push(turn);
  }
  if (chars > LIMITS.conversationChars) return `has ${chars} characters; the limit is ${LIMITS.conversationChars}`;
  const links = Object.entries(fieldsOf(shown)).filter((link): link is [string, string] =>
    known.has(textOf(link[1]) ?? ''),
  );
  return {
    id: key,
    title: toTitle(textOf(title) ?? ''),
    createdMs: numberOf(createdMs) ?? 0,
    changedMs: numberOf(changedMs) ?? 0,
    turns: read,
    shown: Object.fromEntries(links),
    settings: readSettings(settings),
  };
}

/** Reads settings. An invalid value gets its default. */
export function readSettings(value: unknown): ChatSettings {
  const { model, system, thinking, temperature, topP, maxTokens, seed } = fieldsOf(value);
  const told = textOf(system) ?? '';
  return {
    model: nameOf(model) ?? DEFAULT_SETTINGS.model,
    system: told.length <= LIMITS.turnChars ? told : DEFAULT_SETTINGS.system,
    thinking: thinking === 'on' || thinking === 'off' ? thinking : DEFAULT_SETTINGS.thinking,
    temperature: numberOf(temperature),
    topP: numberOf(topP),
    maxTokens: numberOf(maxTokens),
    seed: numberOf(seed),
  };
}

function readTurn(value: unknown): Turn | undefined {
  const { id, parent, role, text, reasoning, toolCalls, model, usage, tokensPerSecond, finish, failure } =
    fieldsOf(value);
  const key = nameOf(id);
  const before = parent === null ? null : nameOf(parent);
  const said = textOf(text);
  if (key === undefined || before === undefined || said === undefined) return undefined;
  if (role !== 'user' && role !== 'assistant') return undefined;
  const thought = textOf(reasoning);
  if (said.length + (thought?.length ?? 0) > LIMITS.turnChars) return undefined;
  const calls = itemsOf(toolCalls).slice(0, LIMITS.toolCalls).map(readCall);
  const tokens = readUsage(usage);
  const rate = numberOf(tokensPerSecond);
  const end = nameOf(finish);
  const wrong = readFailure(failure);
  const by = nameOf(model);
  return {
    id: key,
    parent: before,
    role,
    text: said,
    ...(thought !== undefined && { reasoning: thought }),
    ...(calls.length > 0 && { toolCalls: calls }),
    ...(by !== undefined && { model: by }),
    ...(tokens !== undefined && { usage: tokens }),
    ...(rate !== undefined && { tokensPerSecond: rate }),
    ...(end !== undefined && { finish: end }),
    ...(wrong !== undefined && { failure: wrong }),
  };
}

function readCall(value: unknown): ToolCall {
  const { id, name, arguments: given } = fieldsOf(value);
  return {
    id: nameOf(id) ?? '',
    name: nameOf(name) ?? '',
    arguments: (textOf(given) ?? '').slice(0, LIMITS.turnChars),
  };
}

function readUsage(value: unknown): TokenUsage | undefined {
  const { promptTokens, completionTokens, reasoningTokens } = fieldsOf(value);
  const [prompt, completion, reasoning] = [promptTokens, completionTokens, reasoningTokens].map(numberOf);
  if (prompt === undefined || completion === undefined) return undefined;
  return { promptTokens: prompt, completionTokens: completion, reasoningTokens: reasoning ?? 0 };
}

function readFailure(value: unknown): Failure | undefined {
  const { code, message, advice } = fieldsOf(value);
  const [name, what, todo] = [code, message, advice].map((text) => textOf(text)?.slice(0, LIMITS.turnChars));
  return name === undefined || what === undefined ? undefined : { code: name, message: what, advice: todo ?? '' };
}

function nameOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined || text === '' || text.length > LIMITS.nameChars ? undefined : text;
}
