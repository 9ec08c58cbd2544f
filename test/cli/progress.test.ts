import { expect, it } from 'vitest';
import type { Clock } from '../../src/base/index.js';
import { openProgressLine } from '../../src/bin/native-engine/progress.js';

/** A terminal, or a file, whose standard error is kept, and a clock that stands still. */
function setUp(isTTY: boolean, env: Record<string, string> = {}, columns = 80) {
  let [nowMs, text] = [0, ''];
  const clock: Clock = { nowMs: () => nowMs, unixSeconds: () => 0, after: () => () => {} };
  const stderr = { isTTY, columns, write: (more: string) => (text += more) };
  const line = openProgressLine({ stderr, env, closed: new AbortController().signal }, 'tiny', clock);
  const written = (): string => {
    const since = text;
    text = '';
    return since;
  };
  return { line, wait: (ms: number) => void (nowMs += ms), written };
}
const half = { phase: 'convert', doneBytes: 2 ** 29, totalBytes: 2 ** 30 } as const;

it('a terminal shows one line after half a second, no wider than it is, and nothing when it is done', () => {
  const { line, wait, written } = setUp(true);
  wait(10_000);
  line.onProgress(half);
  wait(499);
  line.onProgress(half);
  expect(written()).toBe('');
  wait(1);
  line.onProgress(half);
  expect(written()).toBe('\r\x1b[Kconverting tiny: [==========          ] 50 % of 1.0 GiB');
  line.onProgress(half);
  expect(written()).toBe('');
  wait(100);
  line.onProgress({ phase: 'load', doneBytes: 1, totalBytes: 0 });
  expect(written()).toBe('\r\x1b[Kloading tiny: [====================] 100 % of 0 B');
  line[Symbol.dispose]();
  expect(written()).toBe('\r\x1b[K');
  line[Symbol.dispose]();
  expect(written()).toBe('');
});

it('a narrow terminal gets a shorter line', () => {
  const { line, wait, written } = setUp(true, {}, 12);
  line.onProgress(half);
  wait(500);
  line.onProgress(half);
  expect(written()).toBe('\r\x1b[Kconverting ');
});

it('what is done soon leaves no trace', () => {
  const { line, written } = setUp(true);
  line.onProgress(half);
  line[Symbol.dispose]();
  expect(written()).toBe('');
});

it.each([
  ['a file', false, {}],
  ['a terminal that understands no escapes', true, { TERM: 'dumb' }],
])('%s gets a whole line after half a second, and then every five seconds', (_, isTTY, env) => {
  const { line, wait, written } = setUp(isTTY, env);
  line.onProgress(half);
  wait(499);
  line.onProgress(half);
  expect(written()).toBe('');
  wait(1);
  line.onProgress(half);
  line.onProgress(half);
  wait(5_000);
  line.onProgress(half);
  line[Symbol.dispose]();
  expect(written()).toBe('converting tiny: 50 % of 1.0 GiB\n'.repeat(2));
});
