import type { ChatCompletionRequest, ChatMessage, SentToolCall, Tool } from '../api/index.js';
import type { TemplateVariables } from '../chat/index.js';

/** What a model's template is given besides the conversation. null: the variable is undefined. */
export interface TemplateTokens {
  readonly bosToken: string | null;
  readonly eosToken: string | null;
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
  const { tools = [], addGenerationPrompt = false, enableThinking, templateKwargs = {} } = options;
  return {
    ...Object.fromEntries(Object.entries(templateKwargs).filter(([name]) => !OWN_VARIABLES.has(name))),
    ...(enableThinking === undefined ? {} : { enable_thinking: enableThinking }),
    ...(tokens.bosToken === null ? {} : { bos_token: tokens.bosToken }),
    ...(tokens.eosToken === null ? {} : { eos_token: tokens.eosToken }),
    messages: messages.map(toTemplateMessage),
    tools: tools.length === 0 ? null : tools,
    documents: null,
    add_generation_prompt: addGenerationPrompt,
  };
}

/** Tools go to the template unless the request forbids calls: a model cannot call what it has not been told of. */
export function offeredTools(
  request: Pick<ChatCompletionRequest, 'tool_choice'> & { readonly tools?: readonly Tool[] },
): readonly Tool[] {
  return request.tool_choice === 'none' ? [] : (request.tools ?? []);
}

/** A message as templates know it: system for developer, text for parts, '' for no content, arguments as an object. */
function toTemplateMessage(message: ChatMessage): Record<string, unknown> {
  const role = message.role === 'developer' ? 'system' : message.role === 'function' ? 'tool' : message.role;
  const reasoning = message.reasoning_content ?? message.reasoning;
  return {
    role,
    content: toText(message.content),
    ...(typeof message.name === 'string' ? { name: message.name } : {}),
    ...(typeof reasoning === 'string' ? { reasoning_content: reasoning } : {}),
    ...((message.tool_calls?.length ?? 0) > 0 ? { tool_calls: message.tool_calls?.map(toTemplateCall) } : {}),
    ...(typeof message.tool_call_id === 'string' ? { tool_call_id: message.tool_call_id } : {}),
  };
}

function toText(content: ChatMessage['content']): string {
  if (Array.isArray(content)) return content.map((part) => part.text ?? '').join('');
  return content ?? '';
}

/**
 * On the wire arguments are JSON text; templates print an object through `tojson`, in the spacing that models were trained
 * on, and some walk its entries. Text that is no JSON object stays text.
 */
function toTemplateCall(call: SentToolCall): Record<string, unknown> {
  const { name, arguments: text = '{}' } = call.function;
  return {
    ...(call.id === undefined ? {} : { id: call.id }),
    type: 'function',
    function: { name, arguments: parseObject(text) ?? text },
  };
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
