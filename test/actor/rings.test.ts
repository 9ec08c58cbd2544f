import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRing, openConsumer, openProducer, type RingKind } from '../../src/actor/index.js';
import { runRingThreads } from './ring-threads.js';

const kinds: readonly RingKind[] = ['spsc', 'mpsc'];
/** Bytes that a record of 64 takes, with its header. */
const LARGEST = 68;

describe.each(kinds)('a ring of kind %s', (kind) => {
  it('behaves like a bounded queue of records, whatever their sizes', () => {
    const write = fc.record({ length: fc.nat(64), byte: fc.nat(255), parts: fc.nat(3) });
    const commands = fc.array(fc.oneof(write, fc.constant('drain' as const)), { maxLength: 200 });
    fc.assert(
      fc.property(commands, (run) => {
        const handle = createRing({ capacityBytes: 256, kind });
        const producer = openProducer(handle);
        const consumer = openConsumer(handle);
        let model: number[][] = [];
        let bytesHeld = 0;
        for (const command of run) {
          if (command === 'drain') {
            const seen: number[][] = [];
            expect(consumer.drain((record) => seen.push(Array.from(record)))).toBe(model.length);
            expect(seen).toEqual(model);
            model = [];
            bytesHeld = 0;
            continue;
          }
          const record = new Uint8Array(command.length).map((_, i) => command.byte + i);
          const cut = Math.min(command.length, command.parts * 7);
          const parts = command.parts === 0 ? record : [record.subarray(0, cut), record.subarray(cut)];
          const size = 4 + Math.ceil(command.length / 4) * 4;
          if (producer.tryWrite(parts)) {
            model.push(Array.from(record));
            bytesHeld += size;
            expect(bytesHeld).toBeLessThanOrEqual(256);
          } else {
            // It may refuse only what does not fit beside the hole at the end, which is smaller than the largest record.
            expect(bytesHeld + size + LARGEST - 4).toBeGreaterThan(256);
          }
        }
        expect(consumer.waitSync(0)).toBe(model.length > 0);
      }),
      { numRuns: 300 },
    );
  });

  it('carries 200,000 records between threads under random stalls, in order, none altered', async () => {
    const producers = kind === 'spsc' ? 1 : 3;
    const result = await runRingThreads({ kind, producers, records: 200_000, capacityBytes: 1 << 14 });
    expect(result.received).toBe(200_000);
    expect(result.consumerHash).toBe(result.producerHash);
    expect(result.outOfOrder).toBe(0);
  });

  it('wakes a reader on the event loop, and tells it of the end after the last record', async () => {
    const handle = createRing({ capacityBytes: 256, kind });
    const producer = openProducer(handle);
    const consumer = openConsumer(handle);
    const first = consumer.wait();
    producer.tryWrite(new Uint8Array([7]));
    expect(await first).toBe(true);
    expect(consumer.drain((record) => expect(Array.from(record)).toEqual([7]))).toBe(1);
    const second = consumer.wait();
    producer.tryWrite(new Uint8Array([8]));
    producer.close();
    expect(await second).toBe(true);
    consumer.drain(() => {});
    expect(await consumer.wait()).toBe(false);
    expect(() => producer.tryWrite(new Uint8Array(1))).toThrow(expect.objectContaining({ code: 'ring_closed' }));
  });

  it('wakes a writer that waits for room', async () => {
    const handle = createRing({ capacityBytes: 64, kind });
    const producer = openProducer(handle);
    const consumer = openConsumer(handle);
    const record = new Uint8Array(28);
    while (producer.tryWrite(record));
    expect(producer.waitSync(0)).toBe(false);
    const room = producer.wait();
    expect(consumer.drain(() => {})).toBe(2);
    expect(await room).toBe(true);
    expect(producer.tryWrite(record)).toBe(true);
  });

  it('counts a record as taken when its reader throws', () => {
    const handle = createRing({ capacityBytes: 256, kind });
    const producer = openProducer(handle);
    const consumer = openConsumer(handle);
    for (const byte of [1, 2]) producer.tryWrite(new Uint8Array([byte]));
    expect(() =>
      consumer.drain(() => {
        throw new Error('cannot read this');
      }),
    ).toThrow('cannot read this');
    const rest: number[] = [];
    consumer.drain((record) => rest.push(...record));
    expect(rest).toEqual([2]);
  });

  it('settles a pending wait when its reader closes it', async () => {
    const consumer = openConsumer(createRing({ capacityBytes: 64, kind }));
    const waiting = consumer.wait();
    consumer.close();
    expect(await waiting).toBe(false);
  });
});

describe('a ring', () => {
  it('refuses a record larger than half of it, and a capacity it cannot have', () => {
    const producer = openProducer(createRing({ capacityBytes: 256 }));
    expect(() => producer.tryWrite(new Uint8Array(125))).toThrow(
      expect.objectContaining({ code: 'ring_record_too_large', details: { payloadBytes: 125, limit: 124 } }),
    );
    expect(producer.tryWrite(new Uint8Array(124))).toBe(true);
    for (const capacityBytes of [0, -1, Number.NaN, 2 ** 31]) {
      expect(() => createRing({ capacityBytes })).toThrow(expect.objectContaining({ code: 'ring_invalid' }));
    }
  });

  it('goes on when its positions pass 32 bits', () => {
    const handle = createRing({ capacityBytes: 256 });
    const control = new Int32Array(handle.memory, 0, 80);
    control[16] = control[32] = -256;
    const producer = openProducer(handle);
    const consumer = openConsumer(handle);
    for (let i = 0; i < 100; i++) {
      expect(producer.tryWrite(new Uint8Array([i]))).toBe(true);
      expect(producer.tryWrite(new Uint8Array(40).fill(i))).toBe(true);
      expect(consumer.drain((record) => expect(record[0]).toBe(i))).toBe(2);
    }
  });
});
