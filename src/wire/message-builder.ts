import type { AssistantMessage, ToolCall } from '../api/index.js';
import { present } from '../base/index.js';
import type { Delta, ContentLogprob } from '../completion/index.js';

/** Collects the deltas of one choice into the message of a whole chat completion. */
export class MessageBuilder {
  readonly #newCallId: () => string;
  #content = '';
  #reasoning = '';
  readonly #calls: ToolCall[] = [];
  readonly #tokens: ContentLogprob[] = [];

  constructor(newCallId: () => string) {
    this.#newCallId = newCallId;
  }

  /** The tokens of the content, if the events have them. */
  get tokens(): readonly ContentLogprob[] {
    return this.#tokens;
  }

  add(delta: Delta): void {
    if (delta.type === 'content') {
      this.#content += delta.text;
      this.#tokens.push(...(delta.logprobs ?? []));
    } else if (delta.type === 'reasoning') this.#reasoning += delta.text;
    else if (delta.name !== undefined) {
      this.#calls.push({
        id: this.#newCallId(),
        type: 'function',
        function: { name: delta.name, arguments: delta.argumentsText },
      });
    } else {
      present(this.#calls.at(-1), 'the first delta of a call has its name').function.arguments += delta.argumentsText;
    }
  }

  /** The whole message. */
  toMessage(): AssistantMessage {
    const message: AssistantMessage = {
      role: 'assistant',
      content: this.#content === '' && this.#calls.length > 0 ? null : this.#content,
      refusal: null,
    };
    if (this.#reasoning !== '') message.reasoning_content = this.#reasoning;
    if (this.#calls.length > 0) message.tool_calls = this.#calls;
    return message;
  }
}
