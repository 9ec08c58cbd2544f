// What a pull shows on a terminal of several widths, on one without colours and in a file.
import { describe, expect, it } from 'vitest';
import { openPullDisplay } from '../../src/bin/native-engine/hub/pull-display.js';
import type { Clock } from '../../src/base/index.js';

const estimate = {
  downloadBytes: 5e9,
  artifactBytes: 5.1e9,
  diskBytes: 10.1e9,
  freeBytes: 50e9,
  memoryBytes: 6e9,
  budgetBytes: 4e9,
  fits: false,
  fittingQuant: 'Q2_K',
};

/** What is on the screen after half a pull of five gigabytes at 100 MB/s. */
function show(columns: number | undefined, env: Record<string, string> = {}): string[] {
  let nowMs = 0;
  const clock: Clock = { nowMs: () => nowMs, unixSeconds: () => 0, after: () => () => {} };
  let text = '';
  const stderr = {
    isTTY: columns !== undefined,
    ...(columns !== undefined && { columns }),
    write: (piece: string) => (text += piece),
  };
  const display = openPullDisplay({ env, closed: new AbortController().signal, stderr }, 'org/model', false, clock);
  display.onEvent({ kind: 'plan', repo: 'org/model', revision: 'a'.repeat(40), quant: 'Q8_0', estimate });
  for (let second = 0; second <= 25; second++) {
    nowMs = second * 1_000;
    const doneBytes = second * 1e8;
    const digest = `sha256:${'b'.repeat(64)}`;
    display.onEvent({
      kind: 'download',
      file: 'm.gguf',
      digest,
      fileDoneBytes: doneBytes,
      fileBytes: 5e9,
      doneBytes,
      totalBytes: 5e9,
    });
  }
  display.onEvent({ kind: 'retry', file: 'm.gguf', reason: 'the connection was cut', attempt: 2, waitMs: 512 });
  display[Symbol.dispose]();
  return text
    .replaceAll('\r\u001b[K', '\n')
    .split('\n')
    .filter((line) => line !== '');
}

describe('a pull', () => {
  it('has a bar, its speed and the time that is left on a screen of 200 columns', () => {
    const lines = show(200);
    expect(lines[0]).toBe(
      'org/model Q8_0 at aaaaaaaaaaaa: 4.7 GiB to download, 9.4 GiB of disk (46.6 GiB free), about 5.6 GiB of memory of 3.7 GiB here',
    );
    expect(lines[1]).toBe('warning: it does not fit the memory here; org/model:Q2_K would');
    expect(lines.at(-2)).toBe('downloading org/model: [==========          ] 50 % of 4.7 GiB, 95.4 MiB/s, 25 s left');
    expect(lines.at(-1)).toBe('m.gguf: the connection was cut; try 2 in 0.5 s');
  });

  it('leaves the bar out, then the name, where there is no room for them', () => {
    expect(show(80).at(-2)).toBe('downloading org/model: 50 % of 4.7 GiB, 95.4 MiB/s, 25 s left');
    expect(show(60).at(-2)).toBe('50 % of 4.7 GiB, 95.4 MiB/s, 25 s left');
  });

  it('is a line each five seconds in a file, and needs no colours', () => {
    const lines = show(undefined);
    expect(lines.filter((line) => line.startsWith('downloading'))).toHaveLength(5);
    expect(show(200, { NO_COLOR: '1' })).toEqual(show(200));
  });
});
