import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { converse, openDemo, PATIENT, type Demo, type Outcome } from './demo.js';
import { runRound, type Death } from './rounds.js';
import { slowness } from '../support/elapsed.js';

const MAX_TOKENS = 24;
/** From a death to the next token. Here the median must keep it, since other suites run beside; in test/long every one. */
const BACK_MS = 1_000;

const anywhere: Death[] = [
  { victims: ['engine'], at: 'message', n: 1 },
  { victims: ['engine'], at: 'message', n: 1, when: 'after' },
  { victims: ['engine'], at: 'message', n: 19, when: 'after' },
  { victims: ['engine'], at: 'character', n: 200 },
  { victims: ['template'], at: 'message', n: 1 },
  { victims: ['template'], at: 'message', n: 2 },
  { victims: ['template'], at: 'message', n: 2, when: 'after' },
  { victims: ['tokenizer'], at: 'message', n: 1 },
  { victims: ['tokenizer'], at: 'message', n: 1, when: 'after' },
];
const onThreads: Death[] = [
  { victims: ['engine'], at: 'message', n: 12 },
  { victims: ['engine'], at: 'character', n: 1 },
  { victims: ['template'], at: 'message', n: 13, when: 'after' },
  { victims: ['compute-1'], at: 'character', n: 1 },
  { victims: ['compute-1'], at: 'character', n: 200 },
  { victims: ['engine', 'compute-1', 'tokenizer', 'template'], at: 'character', n: 100 },
];

function name({ victims, at, n, when }: Death): string {
  return `${victims.join(' and ')} killed at ${at} ${n}${when === undefined ? '' : `, ${when} it was answered`}`;
}

describe.each([
  ['thread', 2],
  ['inline', 1],
] as const)('twenty conversations, placement %s', (placement, threads) => {
  let demo: Demo;
  let expected: Outcome[];
  const backs: number[] = [];

  beforeAll(async () => {
    demo = await openDemo({ placement, threads, restarts: PATIENT });
    expected = await converse(demo.model, MAX_TOKENS);
  });

  afterAll(() => demo[Symbol.asyncDispose]());

  it('come to something when no actor is killed', () => {
    const texts = expected.map(({ content, choices }) => content ?? choices).filter((text) => text !== undefined);
    expect(texts).toHaveLength(18);
    expect(expected[9]).toMatchObject({ error: { code: 'context_length_exceeded' } });
  });

  const deaths = placement === 'thread' ? [...anywhere, ...onThreads] : anywhere;
  it.each(deaths.map((death) => [name(death), death] as const))('finish as ever with %s', async (_, death) => {
    const { outcomes, fired, backMs } = await runRound(demo, MAX_TOKENS, death);
    expect(fired).toBe(true);
    expect(outcomes).toEqual(expected);
    if (backMs !== undefined) backs.push(backMs);
  });

  it('were answered again within a second of each death, in the median', () => {
    expect(backs.length).toBeGreaterThan(2);
    const sorted = backs.toSorted((a, b) => a - b);
    expect(sorted[sorted.length >> 1]).toBeLessThan(BACK_MS * slowness());
  });
});
