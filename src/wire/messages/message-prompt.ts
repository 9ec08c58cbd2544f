import { readJsonSources, type MessagesCountRequest } from '../../api/index.js';
import type { ChatPrompt, Thinking, ToolChoice } from '../../completion/index.js';
import { toFunctionTool, toFunctionToolsSource } from '../function-tools.js';
import { readThinking, thinkingField } from '../parsing/read-thinking.js';
import { invalidField, missingField } from '../parsing/request-errors.js';
import type { SamplingFields } from '../request-schemas.js';
import { fieldNames } from '../sampling-choice.js';
import { toToolChoice } from '../parsing/read-tool-choice.js';
import { toConversation } from './message-turns.js';

/** The tools that an answer must call, or may; undefined: as the model likes, or none. Errors: `invalid_value`, `missing_required_parameter`. */
export function readToolChoice({ tool_choice: choice, tools = [] }: MessagesCountRequest): ToolChoice | undefined {
  const { type = 'auto', name } = choice ?? {};
  const offered = tools.map((tool) => tool.name ?? '');
  if (type === 'auto' || type === 'none') return undefined;
  if (type === 'any') return toToolChoice({ isRequired: true, named: [] }, offered);
  if (type !== 'tool') throw invalidField('tool_choice.type', 'must be auto, any, tool or none', type);
  if (name === undefined) throw missingField('tool_choice.name');
  return toToolChoice({ isRequired: true, named: [{ name, param: 'tool_choice.name' }] }, offered);
}

/**
 * What a checked body says of the prompt. `format`: the field by which it asked for one. Errors:
 * `missing_required_parameter`, `unsupported_value`.
 */
export function toMessagesPrompt(
  body: MessagesCountRequest & Pick<SamplingFields, 'logit_bias'>,
  format = 'output_config.format',
): ChatPrompt {
  const conversation = toConversation(body);
  const sources = readJsonSources(body);
  // A model cannot call what it has not been told of.
  const tools = body.tool_choice?.type === 'none' ? [] : (body.tools ?? []);
  return {
    messages: conversation.messages,
    tools: tools.map((tool) => toFunctionTool(tool, tool.input_schema)),
    toolsSource: sources.tools === undefined ? undefined : toFunctionToolsSource(sources.tools, 'input_schema'),
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
      toolSchema: (index) => `tools[${index}].input_schema`,
    },
  };
}

/** An effort bounds thinking that there is, and asks for none by itself. */
function toThinking({ output_config: output, ...body }: MessagesCountRequest): Thinking {
  const { thinking } = body;
  const asked = readThinking(body);
  const effort = output?.effort ?? undefined;
  const thinks = thinking?.type === 'adaptive' || (thinking?.type === 'enabled' && asked.budgetTokens === undefined);
  const share = thinks && effort !== undefined ? readThinking({ reasoning_effort: effort }).budgetShare : undefined;
  const isHidden = asked.isHidden || thinking?.display === 'omitted';
  return { ...asked, ...(share !== undefined && { budgetShare: share }), isHidden };
}
