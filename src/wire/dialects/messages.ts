import { MessageAnswer, MessagesEvent, toMessagesErrorBody, withJsonSources } from '../../api/index.js';
import type { AnswerFormat } from '../../completion/index.js';
import { namedFraming, type WireDialect } from '../dialect.js';
import { readToolChoice, toMessagesPrompt } from '../messages/message-prompt.js';
import { MessageWriter } from '../messages/message-writer.js';
import { parseMessagesRequest } from '../messages/parse-messages-request.js';
import { MessagesRequest } from '../request-schemas.js';
import { toEnds, toSamplingChoice } from '../sampling-choice.js';

/** Anthropic's messages, with the fields of local servers beside its own. */
export const messages: WireDialect<MessagesRequest, MessageAnswer, MessagesEvent> = {
  schemas: { request: MessagesRequest, whole: MessageAnswer, event: MessagesEvent },
  idPrefix: 'msg_',
  sources: ['tools', 'chat_template_kwargs'],
  parse: (value, sources) => withJsonSources(parseMessagesRequest(value), sources),
  toError: (error, kindOf) => toMessagesErrorBody(error, kindOf),
  // Its clients know an event for this, and some count on it.
  framing: { ...namedFraming, ping: 'event: ping\ndata: {"type": "ping"}\n\n' },

  toRequest: (body) => ({
    model: body.model,
    isStream: body.stream === true,
    tellsUsage: true,
    completion: {
      kind: 'chat',
      ...toMessagesPrompt(body),
      ...toEnds({ stop: body.stop_sequences, cache_salt: body.cache_salt }),
      format: toFormat(body),
      toolChoice: readToolChoice(body),
      sampling: toSamplingChoice(body),
      n: 1,
      maxTokens: body.max_tokens,
      endsWithFirstCall: body.tool_choice?.disable_parallel_tool_use === true,
    },
  }),

  toEvents({ completion }, head) {
    const writer = new MessageWriter(head, completion.maxTokens);
    return (event) => writer.add(event);
  },

  toWhole({ completion }, head) {
    const writer = new MessageWriter(head, completion.maxTokens);
    return { add: (event) => void writer.add(event), finish: () => writer.toMessage() };
  },
};

function toFormat({ output_config: output }: MessagesRequest): AnswerFormat | undefined {
  const schema = output?.format?.schema;
  return schema === undefined ? undefined : { kind: 'jsonSchema', schema, isStrict: true };
}
