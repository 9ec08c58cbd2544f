import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEventParser, MAX_EVENT_CHARS, readEvents } from '../../../src/pages/data/events.js';

const STREAM =
  'data: {"a":1}\n\n: a comment\n\ndata:two\ndata: lines\r\n\r\nevent: x\nid: 7\ndata: é𝄞\r\rdata: [DONE]\n\n';
const EVENTS = ['{"a":1}', 'two\nlines', 'é𝄞', '[DONE]'];

function bodyOf(pieces: readonly Uint8Array[], onCancel = (): void => {}): ReadableStream<Uint8Array> {
  const left = [...pieces];
  return new ReadableStream({
    pull(controller) {
      const next = left.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
    cancel: onCancel,
  });
}

async function collect(body: ReadableStream<Uint8Array>): Promise<string[]> {
  const events: string[] = [];
  for await (const event of readEvents(body)) events.push(event);
  return events;
}

describe('events of a stream', () => {
  it('are the same wherever its bytes are cut, also within a character or a line end', async () => {
    const bytes = new TextEncoder().encode(STREAM);
    for (let at = 0; at <= bytes.length; at++) {
      expect(await collect(bodyOf([bytes.slice(0, at), bytes.slice(at)])), `cut at ${at}`).toEqual(EVENTS);
    }
    expect(await collect(bodyOf(Array.from(bytes, (byte) => Uint8Array.of(byte))))).toEqual(EVENTS);
  });

  it('are the same in pieces of any lengths', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(STREAM.length), { maxLength: 8 }), (cuts) => {
        const parse = createEventParser();
        const places = [...cuts.toSorted((a, b) => a - b), STREAM.length];
        const events = places.flatMap((end, i) => parse(STREAM.slice(places[i - 1] ?? 0, end)));
        expect(events).toEqual(EVENTS);
      }),
      { numRuns: 200 },
    );
  });

  it('that never end are refused at the limit', () => {
    const parse = createEventParser();
    const piece = 'x'.repeat(MAX_EVENT_CHARS / 4);
    for (let i = 0; i < 3; i++) parse(piece);
    expect(() => [parse(piece), parse('x')]).toThrow('characters');
    const lines = createEventParser();
    expect(() => {
      for (let i = 0; i < 6; i++) lines(`data: ${piece}\n`);
    }).toThrow('characters');
  });

  it('stop the stream when the reader stops', async () => {
    let isCancelled = false;
    const bytes = new TextEncoder().encode(STREAM);
    for await (const event of readEvents(bodyOf([bytes, bytes], () => (isCancelled = true)))) {
      expect(event).toBe(EVENTS[0]);
      break;
    }
    expect(isCancelled).toBe(true);
  });
});
