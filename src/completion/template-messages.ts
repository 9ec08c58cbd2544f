import type { ChatCompletionRequest, ChatMessage, JsonSources, SentToolCall, Tool } from '../api/index.js';
import { memberSources } from '../base/index.js';
import { toArgumentsVariable, toJsonVariable, type TemplateVariables } from '../chat/index.js';

/** What a model's template is given besides the conversation. null: the variable is undefined. */
export interface TemplateTokens {
  readonly bosToken: string | null;
  readonly eosToken: string | null;
  /** Calls without content have none instead of '': the template tells them by that, as DeepSeek's do. Default false. */
  readonly callsHaveNone?: boolean;
}

/** Whether a template asks if content is none. */
export function asksForNone(template: string): boolean {
  return /\bcontent(?:['"]\])?\s+is\s+(?:not\s+)?none\b/i.test(template);
}

/** How a conversation is rendered. */
export interface RenderChatOptions {
  readonly tools?: readonly Tool[] | undefined;
  /** End with the opening of an assistant's turn. Default false, as in transformers. */
  readonly addGenerationPrompt?: boolean | undefined;
  /** Absent: the template's own default. */
  readonly enableThinking?: boolean | undefined;
  /** More variables for the template; they do not replace those that the conversation gives. */
  readonly templateKwargs?: Readonly<Record<string, unknown>> | undefined;
  /** The text of tools and kwargs that came as JSON: then the template gets what was written. */
  readonly sources?: JsonSources | undefined;
  /** Control tokens in the text of messages and tools are control tokens. Default false: they are text. */
  readonly parseSpecial?: boolean | undefined;
  /** What the template makes no use of is left out in silence. Default false: it is refused. */
  readonly dropUnsupported?: boolean | undefined;
}

/** What is the model's own, or the machine's: a request does not say it. */
const OWN_VARIABLES: ReadonlySet<string> = new Set(['bos_token', 'eos_token', 'now']);

/** The variables of a template, as transformers names them. No tools are null, which is Python's None. */
export function toTemplateVariables(
  messages: readonly ChatMessage[],
  options: RenderChatOptions,
  tokens: TemplateTokens,
): TemplateVariables {
  const { tools = [], addGenerationPrompt = false, enableThinking, templateKwargs = {}, sources = {} } = options;
  const kwargs = Object.fromEntries(Object.entries(templateKwargs).filter(([name]) => !OWN_VARIABLES.has(name)));
  return {
    documents: null,
    ...kwargs,
    ...asWritten(kwargs, sources.chat_template_kwargs),
    ...(enableThinking === undefined ? {} : { enable_thinking: enableThinking }),
    ...(tokens.bosToken === null ? {} : { bos_token: tokens.bosToken }),
    ...(tokens.eosToken === null ? {} : { eos_token: tokens.eosToken }),
    messages: messages.map((message) => toTemplateMessage(message, tokens.callsHaveNone === true)),
    tools: tools.length === 0 ? null : sources.tools === undefined ? tools : toJsonVariable(sources.tools),
    add_generation_prompt: addGenerationPrompt,
  };
}

/** Tools go to the template unless the request forbids calls: a model cannot call what it has not been told of. */
export function offeredTools(
  request: Pick<ChatCompletionRequest, 'tool_choice'> & { readonly tools?: readonly Tool[] },
): readonly Tool[] {
  return request.tool_choice === 'none' ? [] : (request.tools ?? []);
}

/** Those variables of a JSON object of which parsing has lost something: numbers, and what may hold some. */
function asWritten(values: Readonly<Record<string, unknown>>, source: string | undefined): Record<string, unknown> {
  const texts = Array.from(source === undefined ? [] : memberSources(source));
  const lossy = texts.filter(([name]) => ['number', 'object'].includes(typeof values[name]));
  return Object.fromEntries(lossy.map(([name, text]) => [name, toJsonVariable(text)]));
}

/**
 * A message as templates know it: system for developer, tool for function, text for parts, '' for no content (but see `callsHaveNone`), a tool call for
 * a function call, arguments as an object.
 */
function toTemplateMessage(message: ChatMessage, callsHaveNone: boolean): Record<string, unknown> {
  const role = message.role === 'developer' ? 'system' : message.role === 'function' ? 'tool' : message.role;
  const reasoning = message.reasoning_content ?? message.reasoning;
  const { function_call: oldCall, tool_calls: calls = [] } = message;
  const made = oldCall ? [{ function: oldCall }] : (calls ?? []);
  const content = toText(message.content);
  return {
    role,
    content: content === '' && made.length > 0 && callsHaveNone ? null : content,
    ...(typeof message.name === 'string' ? { name: message.name } : {}),
    ...(typeof reasoning === 'string' ? { reasoning_content: reasoning } : {}),
    ...(made.length > 0 ? { tool_calls: made.map(toTemplateCall) } : {}),
    ...(typeof message.tool_call_id === 'string' ? { tool_call_id: message.tool_call_id } : {}),
  };
}

function toText(content: ChatMessage['content']): string {
  if (Array.isArray(content)) return content.map((part) => part.text ?? '').join('');
  return content ?? '';
}

/**
 * On the wire arguments are JSON text; templates print an object through `tojson`, in the spacing that models were trained
 * on, and some walk its entries. What arguments may be is `toArgumentsVariable`'s rule: absent and null are `{}`, and text
 * that is no JSON object stays text.
 */
function toTemplateCall(call: SentToolCall): Record<string, unknown> {
  const { name, arguments: text } = call.function;
  return {
    ...(call.id === undefined ? {} : { id: call.id }),
    type: 'function',
    function: { name, arguments: toArgumentsVariable(text ?? '') },
  };
}
