import { describe, expect, it } from 'vitest';
import { createServerWatch, type PageClock } from '../../../src/pages/data/index.js';

type Heard = 'answer' | 'closed' | 'silent' | 502 | 404;

/** A watch of a server that does this, look by look; what comes after the last is an end. `waits`: before each next look. */
async function watchedOf(heard: readonly Heard[], isHidden = (): boolean => false) {
  const left = [...heard];
  const [waits, states, asked]: [number[], boolean[], RequestInit[]] = [[], [], []];
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const clock: PageClock = {
    nowMs: () => 0,
    unixMs: () => 1_000,
    onFrame: (run) => run(),
    after(delayMs, run) {
      waits.push(delayMs);
      if (left.length === 0) end();
      else queueMicrotask(run);
      return () => {};
    },
  };
  const send: typeof fetch = async (_, init) => {
    asked.push(init ?? {});
    const next = left.shift();
    if (next === 'closed') throw new TypeError('fetch failed');
    if (next === 'silent') {
      return new Promise((_resolve, reject) =>
        init?.signal?.addEventListener('abort', () => reject(new Error('late'))),
      );
    }
    return new Response(null, { status: typeof next === 'number' ? next : 200 });
  };
  const watch = createServerWatch({ address: '/icon.svg', clock, isHidden, send });
  watch.state.subscribe(() => states.push(watch.state.get().isGone));
  const startMs = performance.now();
  const stop = watch.watch();
  await ended;
  stop();
  return { waits, states, asked, state: watch.state.get(), tookMs: performance.now() - startMs };
}

const sum = (waits: readonly number[]): number => waits.reduce((total, wait) => total + wait, 0);

describe('the watch of a server', () => {
  it('says within 5 s that it is gone, and that it is back', async () => {
    const { waits, states, state } = await watchedOf(['answer', 'closed', 'closed', 'closed', 'answer']);
    expect(states).toEqual([false, true, false]);
    expect(sum(waits.slice(0, 2))).toBeLessThanOrEqual(2_000);
    expect(waits).toEqual([1_500, 500, 1_000, 1_000, 1_500]);
    expect(state).toEqual({ isGone: false, heardMs: 1_000 });
  });

  it('waits for one that is silent, and still says so within 5 s', async () => {
    const { waits, states, tookMs } = await watchedOf(['answer', 'silent', 'silent']);
    expect(states).toEqual([false, true]);
    expect(tookMs).toBeGreaterThan(2_000);
    expect(sum(waits.slice(0, 2)) + 2 * 1_300).toBeLessThan(5_000);
  });

  it('says nothing of one answer that was lost', async () => {
    expect((await watchedOf(['answer', 'closed', 'answer'])).states).toEqual([false, false]);
  });

  it('takes any answer of the server for one, and none of a proxy before it', async () => {
    expect((await watchedOf([404, 404, 404])).states).toEqual([false, false, false]);
    expect((await watchedOf([502, 502])).states).toEqual([true]);
  });

  it('asks for a file anonymously: no cookie goes with it, and no cache answers', async () => {
    const { asked } = await watchedOf(['answer']);
    expect(asked).toEqual([expect.objectContaining({ credentials: 'omit', cache: 'no-store' })]);
  });

  it('asks for nothing while the page is hidden', async () => {
    let numLooks = 0;
    const { asked } = await watchedOf(['answer', 'answer'], () => ++numLooks % 3 !== 0);
    expect([numLooks, asked.length]).toEqual([6, 2]);
  });
});
