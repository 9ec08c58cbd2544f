import { memberSources } from '../../base/index.js';
import { toArgumentsVariable, toJsonVariable, type TemplateVariables } from '../../chat/index.js';
import { messageText, type ChatPrompt, type Message, type MessageCall } from '../request.js';
import { asksForShortIds, takesOneCall, withShortIds, withSingleCalls } from './message-calls.js';
import { toShownTools } from './shown-tools.js';

/** The variables of a model's template besides the conversation. null: the variable is undefined. */
export interface TemplateTokens {
  readonly bosToken: string | null;
  readonly eosToken: string | null;
  /** Calls without content have none instead of '': templates like DeepSeek's test for that. Default false. */
  readonly callsHaveNone?: boolean;
  /** Ids of calls have nine letters or digits: templates like Mistral's refuse others. Default false. */
  readonly idsAreShort?: boolean;
  /** A message has one call at most: templates like Llama 3.1's refuse more. Default false. */
  readonly takesOneCall?: boolean;
}

/** The wishes about messages that a template's text shows. */
export function readTemplateWishes(template: string): Omit<TemplateTokens, 'bosToken' | 'eosToken'> {
  return {
    callsHaveNone: asksForNone(template),
    idsAreShort: asksForShortIds(template),
    takesOneCall: takesOneCall(template),
  };
}

/** Whether a template tests whether content is none. */
export function asksForNone(template: string): boolean {
  return /\bcontent(?:['"]\])?\s+is\s+(?:not\s+)?none\b/i.test(template);
}

/** Variables of the model or the machine: a request does not set them. */
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

/** The variables of a JSON object that parsing changes: numbers, and values that may contain some. */
function asWritten(values: Readonly<Record<string, unknown>>, source: string | undefined): Record<string, unknown> {
  const texts = Array.from(source === undefined ? [] : memberSources(source));
  const lossy = texts.filter(([name]) => ['number', 'object'].includes(typeof values[name]));
  return Object.fromEntries(lossy.map(([name, text]) => [name, toJsonVariable(text)]));
}

/** A message in templates' form: '' for no content (but see `callsHaveNone`), arguments as an object. */
function toTemplateMessage(message: Message, callsHaveNone: boolean): Record<string, unknown> {
  const { role, name, reasoning, calls = [], callId } = message;
  const text = messageText(message);
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
 * Templates print arguments as an object through `tojson`, in the spacing of the models' training, and some walk its
 * entries. `toArgumentsVariable` has the rule for arguments: text that is no JSON object stays text.
 */
function toTemplateCall({ id, name, argumentsText }: MessageCall): Record<string, unknown> {
  return {
    ...(id === undefined ? {} : { id }),
    type: 'function',
    function: { name, arguments: toArgumentsVariable(argumentsText) },
  };
}
