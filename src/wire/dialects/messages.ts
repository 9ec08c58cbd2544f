import { MessageWriter, toExactJson } from '../../answers/index.js';
import { MessageAnswer, MessagesEvent, toMessagesErrorBody, withJsonSources } from '../../api/index.js';
import { namedFraming, type WireDialect, type WireRequest } from '../dialect.js';
import { readMessagesPrompt, readToolChoice } from '../messages/message-prompt.js';
import { offerMessagesTools } from '../messages/messages-tools.js';
import { parseMessagesRequest } from '../messages/parse-messages-request.js';
import { readFormat, type AskedFormat } from '../parsing/read-format.js';
import { ignoredChoice } from '../parsing/read-tool-choice.js';
import { toIgnored } from '../tools/left-out.js';
import { MessagesRequest } from '../request-schemas.js';
import { toEnds, toSamplingChoice } from '../sampling-choice.js';

/** Anthropic's messages, with the fields of local servers beside its own. */
export const messages: WireDialect<MessageAnswer, MessagesEvent> = {
  schemas: { request: MessagesRequest, whole: MessageAnswer, event: MessagesEvent },
  idPrefix: 'msg_',
  sources: ['tools', 'chat_template_kwargs'],
  read: (value, sources = {}) => toRequest(withJsonSources(parseMessagesRequest(value), sources)),
  toJson: (object) => (object.type === 'message' ? toExactJson(object) : JSON.stringify(object)),
  toError: (error, kindOf) => toMessagesErrorBody(error, kindOf),
  // Its clients know an event for this, and some depend on it.
  framing: { ...namedFraming, ping: 'event: ping\ndata: {"type": "ping"}\n\n' },

  toEvents({ completion }, head) {
    const writer = new MessageWriter(head, completion.maxTokens);
    return (event) => writer.add(event);
  },

  toWhole({ completion }, head) {
    const writer = new MessageWriter(head, completion.maxTokens);
    return { add: (event) => void writer.add(event), finish: () => writer.toMessage() };
  },
};

/** What a checked body asks for. */
function toRequest(body: MessagesRequest): WireRequest {
  const wanted = readFormat(body, toAskedFormat(body));
  const offer = offerMessagesTools(body);
  const toolChoice = readToolChoice(body, offer);
  const { prompt, ignored } = readMessagesPrompt(body, offer, wanted?.field);
  const isNone = body.tool_choice?.type === 'none';
  return {
    model: body.model,
    isStream: body.stream === true,
    tellsUsage: true,
    ignored: toIgnored([...ignored, ...ignoredChoice(body.tool_choice?.type, toolChoice)]),
    completion: {
      kind: 'chat',
      ...prompt,
      ...toEnds({ stop: body.stop_sequences, cache_salt: body.cache_salt }),
      format: wanted?.format,
      toolChoice,
      ...(isNone && { withheldTools: offer.tools }),
      sampling: toSamplingChoice(body),
      n: 1,
      maxTokens: body.max_tokens,
      endsWithFirstCall: body.tool_choice?.disable_parallel_tool_use === true,
    },
  };
}

function toAskedFormat({ output_config: output }: MessagesRequest): AskedFormat | undefined {
  const schema = output?.format?.schema;
  if (schema === undefined) return undefined;
  return { field: 'output_config.format', format: { kind: 'jsonSchema', schema, isStrict: true } };
}
