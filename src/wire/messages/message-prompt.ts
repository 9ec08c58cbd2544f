import { readJsonSources, type MessagesCountRequest } from '../../api/index.js';
import type { ChatPrompt, Thinking, ToolCallRule } from '../../completion/index.js';
import { readThinking, thinkingField } from '../parsing/read-thinking.js';
import { invalidField, missingField } from '../parsing/request-errors.js';
import type { SamplingFields } from '../request-schemas.js';
import { fieldNames } from '../sampling-choice.js';
import { toToolChoice } from '../parsing/read-tool-choice.js';
import type { ToolOffer } from '../tools/tool-offer.js';
import { toConversation } from './message-turns.js';
import { offerMessagesTools } from './messages-tools.js';

/** The tools that an answer must call, or may; undefined: as the model likes, or none. Errors: `invalid_value`, `missing_required_parameter`. */
export function readToolChoice(
  { tool_choice: choice }: Pick<MessagesCountRequest, 'tool_choice'>,
  offer: ToolOffer,
): ToolCallRule | undefined {
  const { type = 'auto', name } = choice ?? {};
  if (type === 'auto' || type === 'none') return undefined;
  if (type !== 'any' && type !== 'tool')
    throw invalidField('tool_choice.type', 'must be auto, any, tool or none', type);
  if (type === 'tool' && name === undefined) throw missingField('tool_choice.name');
  // It asks for tools that were left out.
  if (offer.lacks({ name }) || (offer.names.length === 0 && offer.leftOut.length > 0)) return undefined;
  const named = type === 'tool' && name !== undefined ? [{ name, param: 'tool_choice.name' }] : [];
  return toToolChoice({ isRequired: true, named }, offer.names);
}

/**
 * The prompt of a checked body. `format`: the field that requested one. Errors: `missing_required_parameter`,
 * `unsupported_value`.
 */
export function toMessagesPrompt(
  body: MessagesCountRequest & Pick<SamplingFields, 'logit_bias'>,
  format?: string,
): ChatPrompt {
  return readMessagesPrompt(body, offerMessagesTools(body), format).prompt;
}

/** The same, and the parts of the body that were left out. */
export function readMessagesPrompt(
  body: MessagesCountRequest & Pick<SamplingFields, 'logit_bias'>,
  offer: ToolOffer,
  format = 'output_config.format',
): { readonly prompt: ChatPrompt; readonly ignored: readonly string[] } {
  const conversation = toConversation(body);
  const sources = readJsonSources(body);
  const isNone = body.tool_choice?.type === 'none';
  const prompt: ChatPrompt = {
    messages: conversation.messages,
    // A model cannot call a tool that the prompt lacks.
    tools: isNone ? [] : offer.tools,
    toolsSource: isNone ? undefined : offer.source,
    variables: body.chat_template_kwargs,
    variablesSource: sources.chat_template_kwargs,
    thinking: toThinking(body),
    trustsControlTokens: body.parse_special === true,
    dropsUnsupported: body.drop_unsupported === true,
    fields: {
      ...fieldNames(body),
      ...conversation.names(),
      thinking: thinkingField(body),
      format,
      schemaAdvice: 'change it, or leave it out of the schema: the answer is not held to it then',
      toolSchema: (index) => offer.schemaPath(index) ?? `tools[${index}].input_schema`,
    },
  };
  const unserved = unservedFields.filter((field) => isAsked(Reflect.get(body, field)));
  return { prompt, ignored: [...offer.leftOut, ...conversation.ignored, ...unserved] };
}

/** Fields for features of Anthropic's servers outside of the model. */
const unservedFields: readonly string[] = ['mcp_servers', 'container'];

function isAsked(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

/** An effort bounds thinking, and does not turn it on. */
function toThinking({ output_config: output, ...body }: MessagesCountRequest): Thinking {
  const { thinking } = body;
  const asked = readThinking(body);
  const effort = output?.effort ?? undefined;
  const thinks = thinking?.type === 'adaptive' || (thinking?.type === 'enabled' && asked.budgetTokens === undefined);
  const share = thinks && effort !== undefined ? readThinking({ reasoning_effort: effort }).budgetShare : undefined;
  const isHidden = asked.isHidden || thinking?.display === 'omitted';
  return { ...asked, ...(share !== undefined && { budgetShare: share }), isHidden };
}
