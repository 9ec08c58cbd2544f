import { readSummary, ResponseWriter, toEcho, toErrorEvent } from '../../answers/index.js';
import { ResponseObject, ResponsesEvent, withJsonSources, readJsonSources } from '../../api/index.js';
import { stringifyInOrder } from '../../base/index.js';
import type { ChatPrompt } from '../../completion/index.js';
import { namedFraming, type WireDialect } from '../dialect.js';
import type { TurnList } from '../turn-list.js';
import { readFormat } from '../parsing/read-format.js';
import { readThinking, thinkingField } from '../parsing/read-thinking.js';
import { ignoredChoice, readOpenAiChoice } from '../parsing/read-tool-choice.js';
import { toIgnored } from '../tools/left-out.js';
import type { ToolOffer } from '../tools/tool-offer.js';
import { ResponsesRequest } from '../request-schemas.js';
import { toConversation } from '../responses/input-messages.js';
import { parseResponsesRequest } from '../responses/parse-responses-request.js';
import { offerResponsesTools, toEchoed } from '../responses/responses-tools.js';
import { toAskedFormat, type ResponsesWireRequest } from '../responses/responses-wire-request.js';
import { fieldNames, toEnds, toLimit, toSamplingChoice } from '../sampling-choice.js';

/** Entries of `include` that have an effect. */
const LOGPROBS = 'message.output_text.logprobs';
const SEALED = 'reasoning.encrypted_content';

/** OpenAI's responses without a memory: nothing is stored, and each request brings the whole conversation. */
export const responses: WireDialect<ResponseObject, ResponsesEvent, ResponsesWireRequest> = {
  schemas: { request: ResponsesRequest, whole: ResponseObject, event: ResponsesEvent },
  idPrefix: 'resp_',
  sources: ['tools', 'chat_template_kwargs'],
  read: (value, sources = {}) => toRequest(withJsonSources(parseResponsesRequest(value), sources)),
  toError: (error, kindOf) => toErrorEvent(error, kindOf),
  // The answer repeats tools and formats as they came.
  toJson: stringifyInOrder,
  framing: namedFraming,

  toEvents(request, head) {
    const writer = new ResponseWriter(request, head);
    return Object.assign((event: Parameters<ResponseWriter['add']>[0]) => writer.add(event), {
      fail: writer.fail.bind(writer),
    });
  },

  toWhole(request, head) {
    const writer = new ResponseWriter(request, head);
    return { add: (event) => void writer.add(event), finish: () => writer.toResponse() };
  },
};

/** What a checked body asks for. */
function toRequest(body: ResponsesRequest): ResponsesWireRequest {
  const { top_logprobs: topLogprobs = 0, include = [] } = body;
  const offer = offerResponsesTools(body);
  const conversation = toConversation(body, offer);
  const toolChoice = readOpenAiChoice(body.tool_choice, offer, 'name');
  const wanted = readFormat(body, toAskedFormat(body.text?.format));
  return {
    model: body.model,
    isStream: body.stream === true,
    tellsUsage: true,
    echo: toEcho({ ...body, tools: toEchoed(body.tools) }),
    tellsSummary: readSummary(body) !== undefined,
    sealsReasoning: include.includes(SEALED),
    callForms: offer.forms,
    ignored: toIgnored([...offer.leftOut, ...conversation.ignored, ...ignoredChoice(body.tool_choice, toolChoice)]),
    completion: {
      kind: 'chat',
      ...toPrompt(body, { offer, conversation, format: wanted?.field }),
      ...toEnds(body),
      format: wanted?.format,
      toolChoice,
      ...(body.tool_choice === 'none' && { withheldTools: offer.tools }),
      sampling: toSamplingChoice(body),
      n: 1,
      maxTokens: toLimit(body.max_output_tokens ?? -1),
      logprobs: topLogprobs > 0 || include.includes(LOGPROBS) ? topLogprobs : undefined,
      endsWithFirstCall: body.parallel_tool_calls === false,
    },
  };
}

/** The prompt of a body. Errors: `missing_required_parameter`, `unsupported_value`. */
function toPrompt(
  body: ResponsesRequest,
  {
    offer,
    conversation,
    format = 'text.format',
  }: { readonly offer: ToolOffer; readonly conversation: TurnList; readonly format?: string | undefined },
): ChatPrompt {
  const sources = readJsonSources(body);
  return {
    messages: conversation.messages,
    // A model cannot call a tool that the prompt lacks.
    tools: body.tool_choice === 'none' ? [] : offer.tools,
    toolsSource: body.tool_choice === 'none' ? undefined : offer.source,
    variables: body.chat_template_kwargs,
    variablesSource: sources.chat_template_kwargs,
    thinking: readThinking(body),
    trustsControlTokens: body.parse_special === true,
    dropsUnsupported: body.drop_unsupported === true,
    fields: {
      ...fieldNames(body),
      ...conversation.names(),
      messages: 'input',
      thinking: thinkingField(body),
      format,
      toolSchema: (index) => offer.schemaPath(index) ?? `tools[${index}].parameters`,
    },
  };
}
