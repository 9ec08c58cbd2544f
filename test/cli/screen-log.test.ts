import { describe, expect, it } from 'vitest';
import { createLogSink, toScreenLine } from '../../src/bin/native-engine/screen-log.js';
import { fitScreen } from '../../src/cli/index.js';

const time = '2026-11-26T17:54:07.000Z';
const of = (entry: object): string =>
  toScreenLine(JSON.stringify({ time, ...entry })).replace(/^\d\d:\d\d:\d\d {2}/, '');
const model = 'org/name';

describe('a line of the log on a screen', () => {
  it.each<[string, object]>([
    [
      'POST /v1/chat/completions  200  2.8 s  org/name  22 + 3 tokens',
      {
        event: 'request',
        method: 'POST',
        route: '/v1/chat/completions',
        status: 200,
        ms: 2800.2,
        model,
        prompt_tokens: 22,
        completion_tokens: 3,
      },
    ],
    [
      'GET (no such path)  404  1 ms  no_route',
      { event: 'request', method: 'GET', route: null, status: 404, ms: 1.2, code: 'no_route' },
    ],
    [
      '/troupe.engine.v1.Inference/Chat  OK  12 ms  spiffe://x/data  5 + 2 tokens',
      {
        event: 'call',
        method: '/troupe.engine.v1.Inference/Chat',
        identity: 'spiffe://x/data',
        code: 'OK',
        ms: 12,
        prompt_tokens: 5,
        completion_tokens: 2,
        error: null,
      },
    ],
    [
      'pulling org/name: 1.0 GiB to download, about 2.0 GiB of memory when it runs',
      { event: 'pull', model, downloadBytes: 2 ** 30, memoryBytes: 2 ** 31, fits: true },
    ],
    [
      'pulling org/name: 1.0 GiB to download, about 2.0 GiB of memory when it runs, which do not fit here',
      { event: 'pull', model, downloadBytes: 2 ** 30, memoryBytes: 2 ** 31, fits: false },
    ],
    [
      'pulling org/name: download, 25 % of 4.0 KiB',
      { event: 'pull', model, phase: 'download', doneBytes: 1024, totalBytes: 4096 },
    ],
    [
      'pulling org/name: the hub: the answer ended early; try 2',
      { event: 'pull', model, retry: 'the answer ended early', attempt: 2, waitMs: 0 },
    ],
    ['pulling org/name: waiting for process 7', { event: 'pull', model, waitsForProcess: 7 }],
    ['pulling org/name: it is here', { event: 'pull', model, outcome: 'new' }],
    ['pulling org/name: it is here (updated)', { event: 'pull', model, outcome: 'updated' }],
    [
      'importing x.gguf: weights, 50 % of 2.0 KiB',
      { event: 'import', model: 'x.gguf', phase: 'weights', doneBytes: 1024, totalBytes: 2048 },
    ],
    [
      'org/name: the model is not signed',
      { event: 'load', model, notice: 'signature', text: 'the model is not signed' },
    ],
    [
      'warning: trust  notice=refused  code=x',
      { event: 'trust', level: 'warn', engine: 'e', notice: 'refused', code: 'x' },
    ],
    ['loaded  model=org/name  ms=12', { event: 'loaded', model, ms: 12 }],
  ])('is %j', (line, entry) => {
    expect(of(entry)).toBe(line);
  });

  it('stays as it is where it is no entry', () => {
    for (const line of ['warning: x', '{"a":1}', '[1]', '{', '']) expect(toScreenLine(line)).toBe(line);
  });

  it('is written for a screen alone, and moves no cursor', () => {
    const line = JSON.stringify({ time, event: 'load', model: 'a\x1b[2J\nb', text: 'x' });
    const written = (isTTY: boolean, TERM = 'xterm'): string => {
      let text = '';
      const stderr = { isTTY, write: (piece: string) => (text += piece) } as unknown as NodeJS.WriteStream;
      createLogSink({ stderr, env: { TERM } })(line);
      return text;
    };
    expect(written(false)).toBe(`${line}\n`);
    expect(written(true, 'dumb')).toBe(`${line}\n`);
    expect(written(true)).toMatch(/^\d\d:\d\d:\d\d {2}a\[2Jb: x\n$/);
  });
});

describe('a text on a screen', () => {
  it('is broken at spaces where the window is narrower, and a long word stays whole', () => {
    const text = 'one two three four five six\n  indented stays\nand a-word-that-is-longer-than-twenty here';
    expect(fitScreen({ isTTY: true, columns: 20 }, text)).toBe(
      'one two three four\nfive six\n  indented stays\nand\na-word-that-is-longer-than-twenty\nhere',
    );
    expect(fitScreen({ isTTY: true, columns: 200 }, text)).toBe(text);
    expect(fitScreen({}, text)).toBe(text);
  });
});
