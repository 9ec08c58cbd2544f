import { describe, expect, it } from 'vitest';
import { present } from '../../src/base/index.js';
import type { Artifact } from '../../src/artifact/index.js';
import { planModel } from '../../src/compute/devices/cpu/memory/plan-model.js';
import { devices, tensorBytes, type PlannedTensor, type PlanRequest } from '../../src/compute/index.js';
import { shapes, type ShapeName } from '../../src/convert/index.js';
import { planModelMemory } from '../../src/engine/model-memory.js';
import { parseModelConfig, weightTable } from '../../src/model/index.js';

const GIB = 2 ** 30;

/** What planning reads of an artifact of `shape` in q4, without its bytes. */
function artifactOf(shape: ShapeName): Pick<Artifact, 'manifest' | 'directory'> {
  const config = shapes[shape];
  const tensors = weightTable(parseModelConfig(config)).map((spec) => {
    const tensor: PlannedTensor = { ...spec, quant: spec.kind === 'vector' ? 'f32' : 'q4' };
    return { ...tensor, offset: 0, sizeBytes: tensorBytes(tensor) };
  });
  const manifest = { quant: 'q4', config, tensors } as unknown as Artifact['manifest'];
  return { manifest, directory: shape };
}

function weightsOf(shape: ShapeName): number {
  return artifactOf(shape).manifest.tensors.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

const device = await devices.reference.prepare({ kernel: 'auto' });

/** What the CPU is asked to plan for `shape`. */
function requestOf(shape: ShapeName): PlanRequest {
  const requests: PlanRequest[] = [];
  const asked = { ...device, plan: (request: PlanRequest) => (requests.push(request), device.plan(request)) };
  planModelMemory(artifactOf(shape), { device: asked, threads: 2 });
  return present(requests[0], 'it is asked once');
}

describe('the memory of a model', () => {
  it('of eight billion weights in q4 is two segments: its weights, a GiB of KV cache, and little beside', () => {
    const { bytes, contextLength } = planModelMemory(artifactOf('8b'), { device, threads: 2 });
    const { plan } = planModel(requestOf('8b'));
    expect(plan.segments).toHaveLength(2);
    expect(contextLength).toBe(8192);
    expect(weightsOf('8b') / GIB).toBeCloseTo(4.2, 1);
    const beside = bytes - weightsOf('8b') - plan.kvBlockBytes * plan.capacity.kvBlocks * 32;
    expect(beside / GIB).toBeGreaterThan(0);
    expect(beside / GIB).toBeLessThan(0.25);
    expect((plan.kvBlockBytes * plan.capacity.kvBlocks * 32) / GIB).toBeCloseTo(1, 1);
  });

  it('gives up KV cache before it is refused, down to one context', () => {
    const artifact = artifactOf('8b');
    const { bytes: most } = planModelMemory(artifact, { device, threads: 2 });
    const less = planModelMemory(artifact, { device, threads: 2, maxBytes: most - 0.2 * GIB });
    expect(less.bytes).toBeLessThanOrEqual(most - 0.2 * GIB);
    expect(less.bytes).toBeGreaterThan(most - 0.21 * GIB);
    const least = planModelMemory(artifact, { device, threads: 2, maxBytes: 1 });
    expect(least.plan.capacity.kvBlocks).toBe(8192 / 32);
  });

  it('grows with its threads by what each needs for itself', () => {
    const [two, sixteen] = [2, 16].map((threads) => planModelMemory(artifactOf('1.1b'), { device, threads }).bytes);
    expect(((sixteen ?? 0) - (two ?? 0)) / 14).toBeLessThan(4 * 2 ** 20);
  });

  it('refuses an artifact whose panels of one matrix are stored in different ways', () => {
    const { manifest, directory } = artifactOf('1.1b');
    const tensors = manifest.tensors.map((tensor) => {
      const other = { ...tensor, quant: 'q8' as const };
      return tensor.name === 'layers.3.down.1' ? { ...other, sizeBytes: tensorBytes(other) } : tensor;
    });
    const mixed = { directory, manifest: { ...manifest, tensors } };
    expect(() => planModelMemory(mixed, { device, threads: 2 })).toThrow(
      /layers\.3\.down\.0 and layers\.3\.down\.1 are panels of one matrix, but stored as q4 and q8/,
    );
  });

  it('takes 256 rows a step, and 128 where each thread multiplies them with more than 2^30 weights', () => {
    const rows = (shape: ShapeName, threads: number): number =>
      planModelMemory(artifactOf(shape), { device, threads }).plan.capacity.maxRows;
    expect([rows('1.1b', 1), rows('1.1b', 2)]).toEqual([256, 256]);
    expect([rows('8b', 2), rows('8b', 8)]).toEqual([128, 256]);
  });
});
