import { describe, expect, it } from 'vitest';
import {
  createPagedRows,
  followEvents,
  type ApiAnswer,
  type ApiClient,
  type LiveState,
  type PageClock,
  type RowPage,
} from '../../../src/pages/data/index.js';

const clock = (waits: number[]): PageClock => ({
  nowMs: () => 0,
  unixMs: () => 0,
  onFrame: (run) => run(),
  after(delayMs, run) {
    waits.push(delayMs);
    queueMicrotask(run);
    return () => {};
  },
});

/** A client whose streams are these, one after the other; what is no text is the failure of an answer. */
function clientOf(streams: (string | number)[]) {
  let numInterrupted = 0;
  const open = async (): Promise<ApiAnswer<Response>> => {
    const next = streams.shift();
    if (typeof next === 'string') return { ok: true, value: new Response(next), etag: undefined };
    return { ok: false, failure: { status: next ?? 404, code: 'x', message: 'x' } };
  };
  const client = { open, interrupt: () => numInterrupted++ } as object as ApiClient;
  return { client, interruptions: () => numInterrupted };
}

const event = (value: object): string => `event: x\ndata: ${JSON.stringify(value)}\n\n`;

describe('a live stream', () => {
  it('is opened again where it breaks off, after pauses that grow, until what is asked for is gone', async () => {
    const [waits, seen, states]: [number[], unknown[], LiveState[]] = [[], [], []];
    const { client } = clientOf([event({ n: 1 }), 503, 0, event({ n: 2 }), 502, 404]);
    await followEvents({
      client,
      path: '/x',
      clock: clock(waits),
      signal: new AbortController().signal,
      onState: (state) => states.push(state),
      onEvent: (value) => void seen.push(value),
    });
    expect(seen).toEqual([{ n: 1 }, { n: 2 }]);
    expect(waits).toEqual([1_000, 2_000, 4_000, 1_000, 2_000]);
    expect(states.at(-1)).toBe('ended');
  });

  it('ends with its last event, and says where the session ended', async () => {
    const { client, interruptions } = clientOf([
      event({ type: 'session_ended' }),
      event({ type: 'a' }) + event({ type: 'end' }) + event({ type: 'never' }),
    ]);
    const seen: unknown[] = [];
    await followEvents({
      client,
      path: '/x',
      clock: clock([]),
      signal: new AbortController().signal,
      onState: () => {},
      onEvent(value) {
        seen.push(value);
        return (value as { type: string }).type === 'end';
      },
    });
    expect([seen, interruptions()]).toEqual([[{ type: 'a' }, { type: 'end' }], 1]);
  });
});

describe('rows that come page by page', () => {
  const pages = (all: readonly RowPage<number>[]) => {
    const asked: (string | undefined)[] = [];
    const rows = createPagedRows<number>(async (cursor) => {
      asked.push(cursor);
      const page = all[cursor === undefined ? 0 : Number(cursor)];
      if (page === undefined) return { ok: false, failure: { status: 500, code: 'x', message: 'x' } };
      return { ok: true, value: page, etag: undefined };
    });
    return { rows, asked };
  };

  it('follow the cursor to the end, also over pages without a row', async () => {
    const { rows, asked } = pages([
      { data: [1, 2], next_cursor: '1', total: 3 },
      { data: [], next_cursor: '2' },
      { data: [3], next_cursor: null },
    ]);
    await rows.reload();
    expect(rows.get()).toMatchObject({ rows: [1, 2], total: 3, phase: 'ready' });
    await rows.more();
    expect(rows.get()).toMatchObject({ rows: [1, 2, 3], phase: 'end' });
    await rows.more();
    expect(asked).toEqual([undefined, '1', '2']);
    rows.replace(20, (row) => row === 2);
    expect(rows.get().rows).toEqual([1, 20, 3]);
  });

  it('pause after many pages without a row, and go on when they are asked to', async () => {
    const empty = Array.from({ length: 30 }, (_, i) => ({ data: [], next_cursor: String(i + 1) }));
    const { rows, asked } = pages([...empty, { data: [7], next_cursor: null }]);
    await rows.reload();
    expect([rows.get().phase, asked.length]).toEqual(['paused', 20]);
    await rows.more();
    expect(rows.get()).toMatchObject({ rows: [7], phase: 'end' });
  });

  it('keep what came where a page fails, and read it again', async () => {
    const { rows } = pages([{ data: [1], next_cursor: '5' }]);
    await rows.reload();
    await rows.more();
    expect(rows.get()).toMatchObject({ rows: [1], phase: 'failed', failure: { status: 500 } });
    await rows.reload();
    expect(rows.get()).toMatchObject({ rows: [1], phase: 'ready', failure: undefined });
  });

  it('are those of the last reading, whichever page comes first', async () => {
    const waiting: ((page: RowPage<number>) => void)[] = [];
    const rows = createPagedRows<number>(
      () =>
        new Promise((resolve) => {
          waiting.push((value) => resolve({ ok: true, value, etag: undefined }));
        }),
    );
    const [first, second] = [rows.reload(), rows.reload()];
    waiting[1]?.({ data: [2], next_cursor: null });
    waiting[0]?.({ data: [1], next_cursor: null });
    await Promise.all([first, second]);
    expect(rows.get().rows).toEqual([2]);
  });
});
