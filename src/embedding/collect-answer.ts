import { present } from '../base/index.js';
import type { AssistantMessage, ChatCompletionChunk, ChatFinishReason, ToolCall, Usage } from './chat-answers.js';

/** The only choice of a streamed answer, assembled from its chunks. */
export interface CollectedAnswer {
  readonly message: AssistantMessage;
  readonly finishReason: ChatFinishReason;
  readonly usage: Usage;
}

/** Joins the chunks of a stream with usage and one choice; calls `onChunk` with each chunk on arrival. */
export async function collectAnswer(
  chunks: AsyncIterable<ChatCompletionChunk>,
  onChunk: (chunk: ChatCompletionChunk) => void,
): Promise<CollectedAnswer> {
  const calls: ToolCall[] = [];
  let [content, reasoning] = ['', ''];
  let finishReason: ChatFinishReason | undefined;
  let usage: Usage | undefined;
  for await (const chunk of chunks) {
    onChunk(chunk);
    usage = chunk.usage ?? usage;
    const [choice] = chunk.choices;
    if (choice === undefined) continue;
    const { delta } = choice;
    content += delta.content ?? '';
    reasoning += delta.reasoning_content ?? '';
    for (const { index, id, function: piece } of delta.tool_calls ?? []) {
      const call = (calls[index] ??= { id: id ?? '', type: 'function', function: { name: '', arguments: '' } });
      call.function.name += piece.name ?? '';
      call.function.arguments += piece.arguments;
    }
    finishReason = choice.finish_reason ?? finishReason;
  }
  const message: AssistantMessage = {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    message,
    finishReason: present(finishReason, 'a stream tells why its choice ended'),
    usage: present(usage, 'a stream tells its usage when it is asked'),
  };
}

/** Adds the usage of two answers. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
    prompt_tokens_details: {
      cached_tokens: a.prompt_tokens_details.cached_tokens + b.prompt_tokens_details.cached_tokens,
    },
    completion_tokens_details: {
      reasoning_tokens: a.completion_tokens_details.reasoning_tokens + b.completion_tokens_details.reasoning_tokens,
    },
  };
}
