// Requests that ask for hostile formats are refused or answered, and the streams of others go on meanwhile.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostileSchemas } from '../grammar/schema/hostile-schemas.js';
import { startServing, type Serving } from './serving.js';

const CHAT = '/v1/chat/completions';
const PROMPTS = ['Tell me a story', 'What is a whale?', 'Count up'];
/** Codes that a format may be refused with. */
const REFUSALS = [
  'json_parse_error',
  'grammar_too_large',
  'grammar_too_slow',
  'unsupported_schema',
  'unsatisfiable_schema',
  'invalid_regex',
];
/** A stream has stalled whose next piece comes so much later than its latest one without the others, or later than this. */
const STALLED = { times: 10, leastMs: 1_000 } as const;

/** Rules that all begin alike, each of which reads itself: a text is in the middle of all of them at once. */
const alike = (count: number): string =>
  [
    `root ::= ${Array.from({ length: count }, (_, i) => `a${i}`).join(' | ')}`,
    ...Array.from({ length: count }, (_, i) => `a${i} ::= "x" a${i} "${i}" | "y"`),
  ].join('\n');

/** Grammars and expressions that compile, and whose texts cost much, or that do not. */
const formats: readonly (readonly [name: string, format: Record<string, unknown>])[] = [
  ['a grammar of many rules that begin alike', { grammar: alike(2_000) }],
  [
    'a grammar that reads a text in thousands of ways',
    { grammar: 'root ::= s "!"\ns ::= | c?\nb ::= [a-z]{0,3}* c ( | b (.)){0,9}\nc ::= ([a-z] s c) b | | [a-z]{1,} s' },
  ],
  ['a grammar within itself', { grammar: 'root ::= root root root | root root | [a-z ]' }],
  ['counts within counts', { grammar: 'root ::= (([a-z]{0,9} " "?){0,9} "."?){0,9}' }],
  ['an expression that others match for years', { regex: '(a+)+b' }],
  ['an expression of a billion states', { regex: '(a|b)*a(a|b){30}' }],
  ['an expression of many words', { regex: `(${Array.from({ length: 5_000 }, (_, i) => `w${i * 7}`).join('|')}){3}` }],
];

const asSchema = (schema: unknown): Record<string, unknown> => ({
  response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
});

/** A span of the clock, in milliseconds. */
interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** What a stream was: its text, and the waits between its pieces. */
interface Streamed {
  readonly text: string;
  readonly waits: readonly Span[];
}

/** A machine that does other work stops any process now and then; a format that stalls streams does it each time. */
const ATTEMPTS = 3;

const lengthMs = ({ startMs, endMs }: Span): number => endMs - startMs;

describe('hostile formats', () => {
  let serving: Serving;

  beforeAll(async () => {
    serving = await startServing();
  });
  afterAll(() => serving[Symbol.asyncDispose]());

  const ask = (content: string, more: Record<string, unknown>): Promise<Response> =>
    serving.post(CHAT, { model: 'demo', messages: [{ role: 'user', content }], temperature: 0.8, seed: 7, ...more });

  async function stream(content: string): Promise<Streamed> {
    const response = await ask(content, { stream: true, max_tokens: 300, ignore_eos: true });
    let text = '';
    const waits: Span[] = [];
    let lastMs: number | undefined;
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      const nowMs = performance.now();
      if (lastMs !== undefined) waits.push({ startMs: lastMs, endMs: nowMs });
      lastMs = nowMs;
      text += Buffer.from(bytes).toString('latin1');
    }
    const pieces = [...text.matchAll(/"content":(?<piece>"(?:[^"\\]|\\.)*")/g)];
    return { text: pieces.map(({ groups }) => JSON.parse(groups?.['piece'] ?? '""') as string).join(''), waits };
  }

  const streamAll = (): Promise<Streamed[]> => Promise.all(PROMPTS.map(stream));

  it('are refused or answered one after the other, and no stream beside them stalls or changes', async () => {
    await streamAll();
    const undisturbed = [...(await streamAll()), ...(await streamAll())];
    const texts = undisturbed.slice(0, PROMPTS.length).map(({ text }) => text);
    expect(texts.every((text) => text.length > 100)).toBe(true);
    const longestMs = Math.max(...undisturbed.flatMap(({ waits }) => waits).map(lengthMs));
    const limitMs = Math.max(STALLED.leastMs, STALLED.times * longestMs);

    const wrong: string[] = [];
    const all = [
      ...hostileSchemas.map(([name, outcome, schema]) => [name, asSchema(schema), outcome] as const),
      ...formats.map(([name, format]) => [name, format, undefined] as const),
    ];

    /** Asks for formats, one after the other, beside streams that begin again and again. Returns those beside which one stalled. */
    async function stalledBeside(asked: typeof all): Promise<typeof all> {
      let isOver = false;
      const rounds: Streamed[][] = [];
      const streams = (async () => {
        while (!isOver) rounds.push(await streamAll());
      })();
      const spans: Span[] = [];
      for (const [name, format, outcome] of asked) {
        const startMs = performance.now();
        const response = await ask('Answer', { ...format, max_tokens: 24 });
        const { error } = (await response.json()) as { error?: { code?: string; message: string } };
        spans.push({ startMs, endMs: performance.now() });
        // On a machine that is busy with other work, compiling may pass its deadline.
        const isRight =
          error === undefined
            ? response.status === 200 && (outcome === undefined || outcome === 'compiled')
            : response.status === 400 && REFUSALS.includes(error.code ?? '');
        if (!isRight) wrong.push(`${name}: ${response.status} ${error?.code ?? ''} ${error?.message ?? ''}`);
      }
      isOver = true;
      await streams;
      expect(rounds.length).toBeGreaterThan(0);
      for (const round of rounds) expect(round.map(({ text }) => text)).toEqual(texts);
      const stalls = rounds.flat().flatMap(({ waits }) => waits.filter((wait) => lengthMs(wait) >= limitMs));
      return asked.filter((_, i) => {
        const { startMs, endMs } = spans[i] as Span;
        return stalls.some((stall) => stall.startMs <= endMs && startMs <= stall.endMs);
      });
    }

    let stalled = all;
    for (let attempt = 1; attempt <= ATTEMPTS && stalled.length > 0; attempt++) stalled = await stalledBeside(stalled);
    expect(stalled.map(([name]) => name)).toEqual([]);
    expect(wrong).toEqual([]);
  });
});
