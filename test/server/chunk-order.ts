// The order of chunks that OpenAI's clients rely on, and what they add up to.
import { expect } from 'vitest';
import type { ChatCompletionChunk, Usage } from '../../src/api/index.js';
import { offencesOf } from './openai-schemas.js';

/** A streamed choice, put together. */
export interface Assembled {
  content: string;
  reasoning: string;
  calls: { id: string; name: string; arguments: string }[];
  finishReason: string | null;
}

/** What the chunks of an answer with `n` choices add up to; every rule of their order is asserted. */
export function assemble(
  chunks: readonly ChatCompletionChunk[],
  n = 1,
): { choices: Assembled[]; usage: Usage | undefined } {
  const [first] = chunks;
  const choices = Array.from({ length: n }, (): Assembled => ({
    content: '',
    reasoning: '',
    calls: [],
    finishReason: null,
  }));
  const begun = new Set<number>();
  let usage: Usage | undefined;
  for (const [at, chunk] of chunks.entries()) {
    expect(offencesOf('CreateChatCompletionStreamResponse', chunk)).toEqual([]);
    expect([chunk.id, chunk.created, chunk.model]).toEqual([first?.id, first?.created, first?.model]);
    expect(chunk.system_fingerprint).not.toBe('');
    if (chunk.choices.length === 0) {
      expect(at).toBe(chunks.length - 1);
      usage = chunk.usage ?? undefined;
      continue;
    }
    expect(chunk.choices).toHaveLength(1);
    for (const { index, delta, finish_reason: finishReason } of chunk.choices) {
      const choice = choices[index];
      if (choice === undefined) throw new Error(`a chunk of choice ${index}`);
      expect(choice.finishReason).toBe(null);
      expect(Object.keys(delta).length).toBe(delta.role === undefined ? (finishReason === null ? 1 : 0) : 2);
      expect(delta.role === undefined).toBe(begun.has(index));
      begun.add(index);
      if (delta.role !== undefined) expect(delta).toEqual({ role: 'assistant', content: '' });
      if (delta.reasoning_content !== undefined) {
        expect(choice.content).toBe('');
        choice.reasoning += delta.reasoning_content;
      }
      choice.content += delta.content ?? '';
      for (const call of delta.tool_calls ?? []) addCall(choice, call);
      choice.finishReason = finishReason;
    }
  }
  return { choices, usage };
}

function addCall(
  { calls }: Assembled,
  {
    index,
    id,
    type,
    function: { name, arguments: text },
  }: NonNullable<ChatCompletionChunk['choices'][0]['delta']['tool_calls']>[0],
): void {
  const known = calls[index];
  if (known === undefined) {
    expect({ index, type, text }).toEqual({ index: calls.length, type: 'function', text: '' });
    expect(id).toMatch(/^call_/);
    calls.push({ id: id ?? '', name: name ?? '', arguments: '' });
    return;
  }
  expect([id, type, name]).toEqual([undefined, undefined, undefined]);
  known.arguments += text;
}
