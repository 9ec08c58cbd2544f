// How an answer of the corpus is played, and held against what a client got of it.
import type { Socket } from 'node:net';
import { expect } from 'vitest';
import { fieldOf, type Asked } from '../gateway/serving/runtime.js';
import type { CorpusAnswer } from './answer-corpus.js';
import type { Received } from './raw-upstream.js';

/** Which answer a request wants. The relay passes it on, as all unknown fields. */
export const CASE = 'x-case';

/** The number of the answer that a request wants. */
export const caseOf = (asked: Asked): number => Number(fieldOf(asked, CASE));

/** Writes what a request wants, each write in a turn of its own. */
export async function writeAll(writes: readonly (Buffer | string)[], socket: Socket): Promise<void> {
  for (const bytes of writes) {
    socket.write(bytes, 'latin1');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What the listener and its transport set themselves. */
export const LISTENER_FIELDS: readonly string[] = [
  'x-request-id',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'uwebsockets',
];
/** What an upstream may not say to the clients of a gateway, which has limits of its own. */
export const NOT_OF_A_GATEWAY = /^(?:set-cookie|x-ratelimit-.*)$/i;

/** The chunk that is there since the relay asked for it. */
export const USAGE_EVENT =
  /data: \{"choices":\[\],"usage":\{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10\}\}(\r\n|\n|\r)\1/;

/** An answer as it was played and as it was got. */
interface Compared {
  readonly answer: CorpusAnswer;
  readonly got: Received;
  readonly transport: string;
  /** The chunk of usage was taken out. */
  readonly isTaken: boolean;
  /** Fields that the relay sets. */
  readonly ours: readonly string[];
  /** Fields that it does not hand on. */
  readonly dropped: RegExp;
}

/** What an upstream says that does not know a member of a request. */
const REFUSALS: readonly (number | undefined)[] = [400, 422];

/**
 * The upstream was asked for each of `count` answers, and for none twice, except for a refusal of a request that asks for
 * usage: it is asked for once more, until the relay knows that the upstream takes the question.
 */
export function expectAskedOnce(asked: readonly Asked[], corpus: readonly CorpusAnswer[], count: number): void {
  const cases = asked.map(caseOf);
  expect(new Set(cases).size).toBe(count);
  const twice = cases.filter((number, i) => cases.indexOf(number) !== i);
  expect(new Set(twice).size).toBe(twice.length);
  const refused = asked.filter(({ body }) => body.includes('"include_usage":true')).map(caseOf);
  for (const number of twice) {
    expect(REFUSALS).toContain(corpus[number]?.status);
    expect(refused).toContain(number);
  }
}

/** Status, fields, body and trailers are those of the upstream. */
export function expectSameAnswer({ answer, got, transport, isTaken, ours, dropped }: Compared): void {
  // uWebSockets.js writes its own date.
  const set = [...LISTENER_FIELDS, ...ours, ...(transport === 'uws' ? ['date'] : [])];
  const sent = answer.fields.filter(
    ([name]) => !dropped.test(name) && (transport !== 'uws' || name.toLowerCase() !== 'date'),
  );
  const own = got.fields.filter(([name]) => !set.includes(name.toLowerCase()));
  expect([answer.name, got.status, own]).toEqual([answer.name, answer.status, sent]);
  const body = isTaken ? Buffer.from(answer.body.toString('latin1').replace(USAGE_EVENT, ''), 'latin1') : answer.body;
  expect([answer.name, got.body.toString('latin1'), got.isBroken]).toEqual([
    answer.name,
    body.toString('latin1'),
    false,
  ]);
  if (transport === 'node') expect([answer.name, got.trailers]).toEqual([answer.name, answer.trailers]);
}

/** Whether the extra chunk of an answer can be told from its other bytes. */
export function isPlainStream({ fields, status }: CorpusAnswer): boolean {
  const type = fields.find(([name]) => name === 'Content-Type')?.[1] ?? '';
  return type.startsWith('text/event-stream') && !fields.some(([name]) => name === 'Content-Encoding') && status < 300;
}
