// A runtime that ignores the limit of the request, and one that keeps it and writes text that estimates count as more.
import { openEvents, startRuntime, whole, type TestRuntime } from './runtime.js';

/** The answer of a runtime: a text with a chunk for each piece, and the usage that it reports. */
export interface Written {
  readonly pieces: readonly string[];
  /** Completion tokens that it reports; absent: it reports none. */
  readonly told?: number;
}

const usageOf = (told: number): string =>
  `"usage":{"prompt_tokens":9,"completion_tokens":${told},"total_tokens":${told + 9}}`;

/** Starts one that answers streams and whole answers alike. */
export function startWordyRuntime({ pieces, told }: Written): Promise<TestRuntime> {
  return startRuntime((asked, socket) => {
    if (!/"stream": ?true/.test(asked.body)) {
      const message = JSON.stringify({ role: 'assistant', content: pieces.join('') });
      const usage = told === undefined ? '' : `,${usageOf(told)}`;
      // Another read brings what follows the text.
      const logprobs = JSON.stringify({
        content: pieces.map((token) => ({ token, logprob: -1.25, top_logprobs: [] })),
      });
      const choice = `{"index":0,"message":${message},"finish_reason":"stop","logprobs":${logprobs}}`;
      const bytes = whole(`{"id":"c","object":"chat.completion","choices":[${choice}]${usage}}`);
      socket.write(bytes.subarray(0, bytes.length - 60));
      setTimeout(() => socket.write(bytes.subarray(bytes.length - 60)), 50);
      return;
    }
    const events = openEvents(socket);
    for (const content of pieces) {
      events.write(`data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content } }] })}\n\n`);
    }
    if (told !== undefined) events.write(`data: {"id":"c","choices":[],${usageOf(told)}}\n\n`);
    events.end();
  });
}

/** The text of a stream of chunks. */
export function textOf(stream: string): string {
  return [...stream.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)]
    .map(([, text = '""']) => JSON.parse(text) as string)
    .join('');
}

/** 1,500 tokens, where 10 were asked for. */
export const BEYOND: readonly (readonly [string, Written])[] = [
  ['words, told', { pieces: Array.from({ length: 1_500 }, (_, i) => `word${i} `), told: 1_500 }],
  ['words, untold', { pieces: Array.from({ length: 1_500 }, (_, i) => `word${i} `) }],
];

/** 10 tokens, as the vocabularies of real models have them. */
export const WITHIN: readonly (readonly [string, Written])[] = [
  ['a table of signs', { pieces: Array.from({ length: 10 }, () => '-'.repeat(64)), told: 10 }],
  ['blanks', { pieces: Array.from({ length: 10 }, () => ' '.repeat(128)) }],
  ['a name, letter by letter', { pieces: [...'translatesAutoresizingMaskIntoConstraints'.repeat(8)] }],
  ['ideographs', { pieces: Array.from({ length: 10 }, () => '习近平新时代中国特色社会主义思想') }],
  ['the same letter', { pieces: [...'M'.repeat(640)], told: 10 }],
  ['ten words', { pieces: Array.from({ length: 10 }, (_, i) => ` word${i}`), told: 12 }],
];
