import { memberSources } from '../../base/index.js';
import { toArgumentsVariable, toJsonVariable, type TemplateVariables } from '../../chat/index.js';
import type { ChatPrompt, Message, MessageCall } from '../request.js';
import { asksForShortIds, takesOneCall, withShortIds, withSingleCalls } from './message-calls.js';
import { toShownTools } from './shown-tools.js';

/** What a model's template is given besides the conversation. null: the variable is undefined. */
export interface TemplateTokens {
  readonly bosToken: string | null;
  readonly eosToken: string | null;
  /** Calls without content have none instead of '': the template tells them by that, as DeepSeek's do. Default false. */
  readonly callsHaveNone?: boolean;
  /** Ids of calls have nine letters or digits: the template refuses others, as Mistral's do. Default false. */
  readonly idsAreShort?: boolean;
  /** A message has one call at most: the template refuses more, as Llama 3.1's does. Default false. */
  readonly takesOneCall?: boolean;
}

/** What a template's text says of how it wants messages. */
export function readTemplateWishes(template: string): Omit<TemplateTokens, 'bosToken' | 'eosToken'> {
  return {
    callsHaveNone: asksForNone(template),
    idsAreShort: asksForShortIds(template),
    takesOneCall: takesOneCall(template),
  };
}

/** Whether a template asks if content is none. */
export function asksForNone(template: string): boolean {
  return /\bcontent(?:['"]\])?\s+is\s+(?:not\s+)?none\b/i.test(template);
}

/** What is the model's own, or the machine's: a request does not say it. */
const OWN_VARIABLES: ReadonlySet<string> = new Set(['bos_token', 'eos_token', 'now']);

/** The variables of a template, as transformers names them. No tools are null, which is Python's None. */
export function toTemplateVariables(
  request: Pick<ChatPrompt, 'messages' | 'tools' | 'toolsSource' | 'variables' | 'variablesSource' | 'thinking'>,
  addsGenerationPrompt: boolean,
  tokens: TemplateTokens,
): TemplateVariables {
  const { messages, tools, toolsSource, thinking, variables: asked = {} } = request;
  const variables = Object.fromEntries(Object.entries(asked).filter(([name]) => !OWN_VARIABLES.has(name)));
  return {
    documents: null,
    ...variables,
    ...asWritten(variables, request.variablesSource),
    ...(thinking.enabled === undefined ? {} : { enable_thinking: thinking.enabled }),
    ...(tokens.bosToken === null ? {} : { bos_token: tokens.bosToken }),
    ...(tokens.eosToken === null ? {} : { eos_token: tokens.eosToken }),
    messages: asWished(messages, tokens).map((message) => toTemplateMessage(message, tokens.callsHaveNone === true)),
    tools: tools.length === 0 ? null : toShownTools(tools, toolsSource),
    add_generation_prompt: addsGenerationPrompt,
  };
}

function asWished(messages: readonly Message[], tokens: TemplateTokens): readonly Message[] {
  const split = tokens.takesOneCall === true ? withSingleCalls(messages) : messages;
  return tokens.idsAreShort === true ? withShortIds(split) : split;
}

/** Those variables of a JSON object of which parsing has lost something: numbers, and what may hold some. */
function asWritten(values: Readonly<Record<string, unknown>>, source: string | undefined): Record<string, unknown> {
  const texts = Array.from(source === undefined ? [] : memberSources(source));
  const lossy = texts.filter(([name]) => ['number', 'object'].includes(typeof values[name]));
  return Object.fromEntries(lossy.map(([name, text]) => [name, toJsonVariable(text)]));
}

/** A message as templates know it: '' for no content (but see `callsHaveNone`), arguments as an object. */
function toTemplateMessage(message: Message, callsHaveNone: boolean): Record<string, unknown> {
  const { role, text, name, reasoning, calls = [], callId } = message;
  return {
    role,
    content: text === '' && calls.length > 0 && callsHaveNone ? null : text,
    ...(name === undefined ? {} : { name }),
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(calls.length > 0 ? { tool_calls: calls.map(toTemplateCall) } : {}),
    ...(callId === undefined ? {} : { tool_call_id: callId }),
  };
}

/**
 * Templates print arguments as an object through `tojson`, in the spacing that models were trained on, and some walk its
 * entries. What arguments may be is `toArgumentsVariable`'s rule: text that is no JSON object stays text.
 */
function toTemplateCall({ id, name, argumentsText }: MessageCall): Record<string, unknown> {
  return {
    ...(id === undefined ? {} : { id }),
    type: 'function',
    function: { name, arguments: toArgumentsVariable(argumentsText) },
  };
}
