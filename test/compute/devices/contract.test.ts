// What holds of every device in the registry: a new one is held to it by its line there.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAppError } from '../../../src/base/index.js';
import {
  createBatch,
  devices,
  KV_BLOCK_TOKENS,
  openDevice,
  type Device,
  type DeviceKind,
  type DeviceMemory,
  type DeviceName,
  type PreparedDevice,
} from '../../../src/compute/index.js';
import { loadOn, loadTiny, requestTiny, weightBytes, type TinyRequest } from '../../support/tiny-on-device.js';

/** Devices that do not compute the graph, each with the reason: their logits are not those of the reference. */
const notTwins: Partial<Record<DeviceName, string>> = { dummy: 'adds token ids: dummy.test.ts says what it computes' };

const { vocabSize, hiddenSize } = requestTiny().graph;
const tokenAt = (position: number): number => (position * 31 + 7) % vocabSize;

/** Rows [from, to) of one sequence, which has `blocks`. */
interface Rows {
  readonly from: number;
  readonly to: number;
  readonly blocks: readonly number[];
}

/** Rows of no token: as wide as a hidden state, and as large as an embedding. */
const givenAt = (position: number): Float32Array =>
  Float32Array.from({ length: hiddenSize }, (_, i) => Math.sin(position * 7 + i) / 4);

/** One step of several sequences: the logits of each one's last row. The rows at the positions of `given` are no tokens. */
function run(device: Device, sequences: readonly Rows[], given: readonly number[] = []): Float32Array[] {
  const batch = createBatch(device);
  batch.blockTables = sequences.map(({ blocks }) => blocks);
  sequences.forEach(({ from, to, blocks }, index) => {
    for (let position = from; position < to; position++) {
      const row = batch.rows++;
      batch.tokenIds[row] = tokenAt(position);
      if (given.includes(position)) batch.given.push({ row, values: givenAt(position) });
      batch.positions[row] = position;
      batch.slots[row] =
        (blocks[Math.floor(position / KV_BLOCK_TOKENS)] ?? 0) * KV_BLOCK_TOKENS + (position % KV_BLOCK_TOKENS);
      batch.sequences[row] = index;
    }
    batch.logitRows[batch.numLogitRows++] = batch.rows - 1;
  });
  device.run(batch);
  return sequences.map((_, index) => device.logits(index).slice());
}

/** A device in this thread, with its memory. */
async function open(
  prepared: PreparedDevice,
  request: TinyRequest,
  beat = (): void => {},
): Promise<{ memory: DeviceMemory; device: Device }> {
  const memory = await loadOn(prepared, request);
  const children = memory.children({ restart: 'permanent', shutdownMs: 1_000 });
  children.renew();
  // As it comes to the engine's thread.
  return { memory, device: openDevice(structuredClone(children.init()), beat) };
}

let expected: Float32Array[];
/** Positions of rows that are given, among tokens. */
const GIVEN = [0, 1, 5, 6, 7, 20, 39];
let expectedOfGiven: Float32Array[];

beforeAll(async () => {
  const request = requestTiny({ quant: 'f32' }, 'reference');
  const { device } = await open(await devices.reference.prepare({ isPortable: false }), request);
  expected = run(device, [{ from: 0, to: 40, blocks: [3, 1] }]);
  expectedOfGiven = run(device, [{ from: 0, to: 40, blocks: [3, 1] }], GIVEN);
});

for (const [name, kind] of Object.entries(devices) as [DeviceName, DeviceKind][]) {
  const request = requestTiny({ quant: 'f32' }, name);
  const prepared = await kind.prepare({ isPortable: true }).catch((error: unknown) => {
    if (isAppError(error) && error.code === 'backend_unavailable') return error.message;
    throw error;
  });
  // A machine without it: the report has the reason.
  const absent = typeof prepared === 'string';
  describe.skipIf(absent)(`the device ${name}${absent ? `, absent: ${prepared}` : ''}`, () => {
    const ready = prepared as PreparedDevice;
    let memory: DeviceMemory;
    let device: Device;
    let beats = 0;

    beforeAll(async () => {
      ({ memory, device } = await open(ready, request, () => beats++));
    });
    afterAll(() => memory.release());

    it('says what it is', () => {
      expect(ready).toMatchObject({ name, variant: expect.stringMatching(/./), notes: expect.any(Array) });
    });

    it('plans a whole context at least, in the bytes that it is given where that is possible', () => {
      const plan = ready.plan(request);
      const least = ready.plan({ ...request, maxBytes: 1 });
      expect(plan.contextLength).toBe(request.contextLength);
      expect(least.contextLength).toBe(request.contextLength);
      expect(least.capacity.kvBlocks).toBe(request.contextLength / KV_BLOCK_TOKENS);
      expect(plan.capacity.kvBlocks).toBeGreaterThan(least.capacity.kvBlocks);
      expect(plan.capacity).toMatchObject({ maxSequences: request.maxSequences });
      expect(least.bytes).toBeGreaterThan(weightBytes(request));
      const between = ready.plan({ ...request, maxBytes: plan.bytes - 1 });
      expect(between.bytes).toBeLessThan(plan.bytes);
      expect(between.bytes).toBeGreaterThanOrEqual(least.bytes);
      expect(ready.plan({ ...request, contextLength: 64 }).contextLength).toBe(64);
    });

    it('shortens a context where that may be, so that it fits', () => {
      const asked = { ...request, contextLength: 65_536, leastContext: 4096 };
      const whole = ready.plan(asked);
      expect(whole.contextLength).toBe(65_536);
      const oneContext = ready.plan({ ...asked, leastContext: undefined, maxBytes: 1 });
      const fitting = ready.plan({ ...asked, maxBytes: oneContext.bytes - 1 });
      expect(fitting.contextLength).toBeLessThan(65_536);
      expect(fitting.bytes).toBeLessThan(oneContext.bytes);
      expect(fitting.capacity.kvBlocks * KV_BLOCK_TOKENS).toBeGreaterThanOrEqual(fitting.contextLength);
      expect(ready.plan({ ...asked, maxBytes: 1 }).contextLength).toBe(4096);
      const tokens = oneContext.contextLength - 4096;
      const saved = oneContext.bytes - ready.plan({ ...asked, maxBytes: 1 }).bytes;
      expect(saved / tokens / whole.kvBytesPerToken).toBeCloseTo(1, 0);
    });

    it('asks once for every tensor, each in its packed size, and holds nothing when that fails', async () => {
      const asked: ReadonlyMap<string, Uint8Array>[] = [];
      const fails = ready.plan(request).load(async (targets) => {
        asked.push(targets);
        return Promise.reject(new Error('the disk is gone'));
      });
      await expect(fails).rejects.toThrow('the disk is gone');
      expect(asked).toHaveLength(1);
      const sizes = new Map([...(asked[0] ?? [])].map(([tensor, { length }]) => [tensor, length]));
      expect(sizes).toEqual(new Map(request.tensors.map((tensor) => [tensor.name, request.layout.bytes(tensor)])));
    });

    it('gives specs of children that may be started beside an engine', () => {
      const { specs } = memory.children({ restart: 'permanent', shutdownMs: 500 });
      expect(new Set(specs.map(({ id }) => id)).size).toBe(specs.length);
      for (const spec of specs) expect(spec).toMatchObject({ restart: 'permanent', shutdownMs: 500 });
    });

    it('can be interrupted before and after it was opened', async () => {
      const other = await loadTiny(request, ready.plan(request));
      const children = other.children({ restart: 'permanent', shutdownMs: 500 });
      children.interrupt();
      children.renew();
      children.interrupt();
      // The next start is not stopped by that.
      children.renew();
      const next = openDevice(children.init(), () => {});
      expect(run(next, [{ from: 0, to: 3, blocks: [0] }])[0]).toHaveLength(vocabSize);
      await other.release();
      await other.release();
    });

    it('gives logits and hidden states of the model’s sizes, and beats while it computes', () => {
      const before = beats;
      const [logits] = run(device, [{ from: 0, to: 40, blocks: [3, 1] }]);
      expect(logits).toHaveLength(vocabSize);
      expect(logits?.every(Number.isFinite)).toBe(true);
      expect(device.hidden(39)).toHaveLength(hiddenSize);
      expect(device.hidden(39).every(Number.isFinite)).toBe(true);
      expect(beats).toBeGreaterThan(before);
    });

    it('gives a row the same bits alone and in a batch, in one chunk and in many', () => {
      const [whole] = run(device, [{ from: 0, to: 40, blocks: [3, 1] }]);
      const together = run(device, [
        { from: 0, to: 5, blocks: [7] },
        { from: 0, to: 40, blocks: [2, 6] },
        { from: 0, to: 1, blocks: [5] },
      ]);
      expect(together[1]).toEqual(whole);
      run(device, [{ from: 0, to: 17, blocks: [4, 0] }]);
      run(device, [{ from: 17, to: 39, blocks: [4, 0] }]);
      expect(run(device, [{ from: 39, to: 40, blocks: [4, 0] }])[0]).toEqual(whole);
    });

    it('goes on in a copied block with the same bits', () => {
      run(device, [{ from: 0, to: 40, blocks: [3, 1] }]);
      device.copyBlock(1, 7);
      const [next] = run(device, [{ from: 40, to: 41, blocks: [3, 1] }]);
      expect(run(device, [{ from: 40, to: 41, blocks: [3, 7] }])[0]).toEqual(next);
    });

    it('has a row in which its logits are sampled', () => {
      const [logits] = run(device, [{ from: 0, to: 40, blocks: [3, 1] }]);
      const { row } = device;
      expect(row.vocabSize).toBe(vocabSize);
      expect(row.load(device.logits(0))).toBe(Math.max(...(logits ?? [])));
      row.own();
      row.values[0] = 1_000;
      expect(row.maxima()).toBe(1_000);
      // A copy was written to.
      expect(device.logits(0)).toEqual(logits);
    });

    it('follows a rule: a greedy one takes the largest logit, any other what it chooses from the logits', () => {
      const [first, second] = run(device, [
        { from: 0, to: 40, blocks: [3, 1] },
        { from: 0, to: 7, blocks: [2] },
      ]) as [Float32Array, Float32Array];
      const largest = (logits: Float32Array): number => logits.indexOf(Math.max(...logits));
      for (const [index, logits] of [first, second].entries()) {
        expect(device.sample(index, { isGreedy: true, choose: largest })).toBe(largest(logits));
        const seen: Float32Array[] = [];
        const choose = (row: Float32Array): number => {
          seen.push(row.slice());
          return 5;
        };
        expect(device.sample(index, { isGreedy: false, choose })).toBe(5);
        expect(seen).toEqual([logits]);
      }
    });

    it('measures itself, where it has a choice, before the first batch', async () => {
      const fresh = await open(ready, request);
      fresh.device.calibrate?.();
      expect(run(fresh.device, [{ from: 0, to: 40, blocks: [3, 1] }])).toEqual(
        run(device, [{ from: 0, to: 40, blocks: [3, 1] }]),
      );
      await fresh.memory.release();
    });

    it('takes rows that are no tokens, alone and in a batch, and none of them in the next step', () => {
      const sequence = { from: 0, to: 40, blocks: [3, 1] };
      const [tokens] = run(device, [sequence]);
      const [given] = run(device, [sequence], GIVEN);
      expect(run(device, [sequence])[0]).toEqual(tokens);
      const others = [
        { from: 0, to: 30, blocks: [7] },
        { from: 0, to: 40, blocks: [2, 6] },
      ];
      expect(run(device, others, GIVEN)[1]).toEqual(given);
      run(device, [{ from: 0, to: 6, blocks: [4, 0] }], GIVEN);
      expect(run(device, [{ from: 6, to: 40, blocks: [4, 0] }], GIVEN)[0]).toEqual(given);
    });

    const reason = notTwins[name];
    it.skipIf(reason !== undefined)(`computes what the reference does${reason ? ` (not it: ${reason})` : ''}`, () => {
      for (const [positions, [reference]] of [
        [[], expected],
        [GIVEN, expectedOfGiven],
      ] as const) {
        const [logits] = run(device, [{ from: 0, to: 40, blocks: [3, 1] }], positions);
        const scale = Math.max(...(reference ?? []).map(Math.abs));
        const differences = (logits ?? []).map((value, i) => Math.abs(value - (reference?.[i] ?? NaN)) / scale);
        expect(Math.max(...differences)).toBeLessThan(1e-5);
      }
    });
  });
}
