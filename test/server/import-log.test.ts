import { expect, it } from 'vitest';
import type { Clock } from '../../src/base/index.js';
import { createImportLog } from '../../src/models/serving/load-log.js';

it('a conversion that takes long is logged after half a second and then every five, and what it lacks at once', () => {
  let nowMs = 1000;
  const clock: Clock = { nowMs: () => nowMs, unixSeconds: () => 0, after: () => () => {} };
  const lines: object[] = [];
  const { onProgress, onNotice } = createImportLog('tiny.gguf', (entry) => lines.push(entry), clock);
  const tell = (atMs: number, doneBytes: number): void => {
    nowMs = 1000 + atMs;
    onProgress({ phase: 'hash', doneBytes, totalBytes: 10 });
  };
  onNotice({ kind: 'no_tokenizer', text: 'no tokenizer' });
  for (const [atMs, doneBytes] of [
    [0, 0],
    [499, 1],
    [500, 2],
    [600, 3],
    [5499, 4],
    [5500, 5],
  ] as const) {
    tell(atMs, doneBytes);
  }
  const line = { event: 'import', model: 'tiny.gguf' };
  expect(lines).toEqual([
    { ...line, notice: 'no_tokenizer', text: 'no tokenizer' },
    { ...line, phase: 'hash', doneBytes: 2, totalBytes: 10 },
    { ...line, phase: 'hash', doneBytes: 5, totalBytes: 10 },
  ]);
});
