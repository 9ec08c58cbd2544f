import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrate, type Probe } from '../../src/compute/devices/cpu/threads/calibrate.js';
import { planMemory, type MemoryPlan } from '../../src/compute/devices/cpu/index.js';
import { devices, type ComputeGraph } from '../../src/compute/index.js';
import { shapes } from '../../src/convert/index.js';
import { forwardGraph, parseModelConfig, weightTable } from '../../src/model/index.js';
import { TINY_CONFIG } from '../support/tiny-model.js';

function planOf(settings: Readonly<Record<string, unknown>>): [ComputeGraph, MemoryPlan] {
  const config = parseModelConfig(settings);
  const graph = forwardGraph(config);
  const arranged = devices.cpu.layout.arrange(graph, weightTable(config));
  const tensors = arranged.map((tensor) => ({ ...tensor, quant: 'q4' as const }));
  const capacity = {
    kvFormat: 'q8',
    kvBlocks: 8,
    stateSlots: 0,
    maxRows: 128,
    maxSequences: 8,
    maxBlocksPerSequence: 8,
  } as const;
  return [graph, planMemory(graph, tensors, { ...capacity, threads: 8, segmentBytes: 2 ** 32 - 65_536 })];
}

const large = planOf(shapes['1.1b']);
const sizes = [1, 2, 4, 8];

describe('calibrate', () => {
  it('finds the fastest size for narrow and for wide steps', () => {
    const timeOf = ({ rows }: Probe, threads: number): number => {
      // Memory is read at full speed by two threads; arithmetic takes all.
      return rows === 1 ? 2 / Math.min(threads, 2) + threads / 100 : 8 / threads;
    };
    expect(calibrate(...large, sizes, timeOf)).toEqual({ narrow: 2, wide: 8 });
  });

  it('judges by means, so that a size that is fast now and then does not win', () => {
    let turn = 0;
    const timeOf = (_: Probe, threads: number): number => (threads === 1 ? 3 : turn++ % 2 === 0 ? 1 : 8);
    expect(calibrate(...large, [1, 2], timeOf)?.narrow).toBe(1);
  });

  it('is decided by no disturbance of one round, nor where the machine is slow', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.constantFrom(1, 2, 3), (disturbedAt, slower) => {
        let turn = 0;
        const timeOf = ({ rows }: Probe, threads: number): number => {
          const ms = slower * (rows === 1 ? 5 / threads : 8 / threads);
          return turn++ === disturbedAt ? ms + 100 : ms;
        };
        expect(calibrate(...large, [1, 2], timeOf)).toEqual({ narrow: 2, wide: 2 });
      }),
    );
  });

  it('takes fewer threads where more are no faster', () => {
    const timeOf = (_: Probe, threads: number): number => (threads === 1 ? 4 : 2 - threads / 100);
    expect(calibrate(...large, sizes, timeOf)).toEqual({ narrow: 2, wide: 2 });
  });

  it('tries every size at least once, however slow the machine, and then ends', () => {
    const used: number[] = [];
    const timeOf = (_: Probe, threads: number): number => {
      used.push(threads);
      return 500 / threads;
    };
    expect(calibrate(...large, sizes, timeOf)).toEqual({ narrow: 8, wide: 8 });
    expect(used).toEqual([...sizes, ...sizes]);
  });

  it('ends in a tenth of a second and one round', () => {
    let total = 0;
    const timeOf = (_: Probe, threads: number): number => {
      const ms = 5 / threads;
      total += ms;
      return ms;
    };
    calibrate(...large, sizes, timeOf);
    expect(total).toBeGreaterThan(50);
    expect(total).toBeLessThan(120);
  });

  it('runs a part of a large model, the wide probe less of it than the narrow one', () => {
    const probes = new Map<number, number>();
    calibrate(...large, [1, 2], ({ rows, ops }) => {
      probes.set(rows, ops);
      return 1;
    });
    const [narrow, wide] = [probes.get(1) ?? 0, probes.get(32) ?? 0];
    expect(wide).toBeGreaterThan(1);
    expect(narrow).toBeGreaterThan(wide);
    expect(narrow).toBeLessThan(large[0].ops.length);
  });

  it('measures nothing where one thread is all there is, or the model is tiny', () => {
    const never = (): number => expect.unreachable();
    expect(calibrate(...large, [1], never)).toBeUndefined();
    expect(calibrate(...planOf(TINY_CONFIG), sizes, never)).toBeUndefined();
  });
});
