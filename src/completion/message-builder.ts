import type { AssistantMessage, ToolCall } from '../api/index.js';
import { present } from '../base/index.js';
import type { AnswerDelta } from './answer-reader.js';
import type { ContentToken } from './content-trace.js';

/** Collects the deltas of one choice into the message of a whole answer. */
export class MessageBuilder {
  #content = '';
  #reasoning = '';
  readonly #calls: ToolCall[] = [];
  readonly #tokens: ContentToken[] = [];

  /** The tokens of the content, where they were told. */
  get tokens(): readonly ContentToken[] {
    return this.#tokens;
  }

  add(delta: AnswerDelta, newCallId: () => string): void {
    if (delta.type === 'content') {
      this.#content += delta.text;
      this.#tokens.push(...(delta.tokens ?? []));
    } else if (delta.type === 'reasoning') this.#reasoning += delta.text;
    else if (delta.name !== undefined) {
      this.#calls.push({
        id: newCallId(),
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
