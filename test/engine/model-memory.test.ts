import { describe, expect, it } from 'vitest';
import { present } from '../../src/base/index.js';
import type { Artifact } from '../../src/artifact/index.js';
import { planModel } from '../../src/compute/devices/cpu/memory/plan-model.js';
import { devices, KV_BLOCK_TOKENS, type PlannedTensor, type PlanRequest } from '../../src/compute/index.js';
import { shapes, type ShapeName } from '../../src/convert/index.js';
import { planModelMemory } from '../../src/engine/model-memory.js';
import { forwardGraph, parseModelConfig, weightTable } from '../../src/model/index.js';

const GIB = 2 ** 30;
const { layout } = devices.cpu;

/** What planning reads of an artifact of `shape` in q4, without its bytes. */
function artifactOf(shape: ShapeName, change: object = {}): Pick<Artifact, 'manifest' | 'directory'> {
  const config = { ...shapes[shape], ...change };
  const parsed = parseModelConfig(config);
  const tensors = layout.arrange(forwardGraph(parsed), weightTable(parsed)).map((spec) => {
    const tensor: PlannedTensor = { ...spec, quant: spec.kind === 'vector' ? 'f32' : 'q4' };
    return { ...tensor, offset: 0, sizeBytes: layout.bytes(tensor) };
  });
  const manifest = { quant: 'q4', config, tensors } as unknown as Artifact['manifest'];
  return { manifest, directory: shape };
}

function weightsOf(shape: ShapeName): number {
  return artifactOf(shape).manifest.tensors.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

const device = await devices.cpu.prepare({ isPortable: true });

/** What the CPU is asked to plan for `shape`. */
function requestOf(shape: ShapeName): PlanRequest {
  const requests: PlanRequest[] = [];
  const asked = { ...device, plan: (request: PlanRequest) => (requests.push(request), device.plan(request)) };
  planModelMemory(artifactOf(shape), { device: asked, threads: 2 });
  return present(requests[0], 'it is asked once');
}

describe('the memory of a model', () => {
  it('of eight billion weights in q4 is two segments: its weights, a GiB of KV cache, and little beside', () => {
    const { bytes, contextLength, kvBytesPerToken } = planModelMemory(artifactOf('8b'), { device, threads: 2 });
    const { plan } = planModel(requestOf('8b'));
    expect(plan.segments).toHaveLength(2);
    expect(contextLength).toBe(8192);
    expect(weightsOf('8b') / GIB).toBeCloseTo(4.2, 1);
    const kvBytes = kvBytesPerToken * plan.capacity.kvBlocks * KV_BLOCK_TOKENS;
    const beside = bytes - weightsOf('8b') - kvBytes;
    expect(beside / GIB).toBeGreaterThan(0);
    expect(beside / GIB).toBeLessThan(0.25);
    expect(kvBytes / GIB).toBeCloseTo(1, 1);
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

  describe('that declares a context of 131,072 tokens', () => {
    const artifact = artifactOf('8b', { max_position_embeddings: 131_072 });
    const planned = (options: { maxContext?: number; maxBytes?: number } = {}) =>
      planModelMemory(artifact, { device, threads: 2, ...options });
    const kvBytes = ({ plan }: ReturnType<typeof planned>): number =>
      plan.capacity.kvBlocks * KV_BLOCK_TOKENS * plan.kvBytesPerToken;

    it('has what fits in a gibibyte of KV cache, and says so', () => {
      const plan = planned();
      expect(plan.contextLength % 1024).toBe(0);
      expect(kvBytes(plan) / GIB).toBeCloseTo(1, 1);
      // 32 layers, 8 heads of 128 numbers, twice, of a byte each, and an f32 scale for 32 of them.
      expect(plan.plan.kvBytesPerToken / (32 * 8 * 128 * 2)).toBe(1.125);
      expect(plan.contextNote).toBe(
        `context ${plan.contextLength.toLocaleString('en-US')} of 131,072 tokens: the KV cache of all would take ${((131_072 * plan.plan.kvBytesPerToken) / 1e9).toFixed(1)} GB; --ctx (maxContext) chooses another`,
      );
    });

    it('has all of it where the budget is large, and less where weights and cache would not fit', () => {
      expect(planned({ maxBytes: 64 * GIB })).toMatchObject({ contextLength: 131_072, contextNote: undefined });
      const tight = planned({ maxBytes: 4.8 * GIB });
      expect(tight.bytes).toBeLessThanOrEqual(4.8 * GIB);
      expect(tight.contextLength).toBeGreaterThan(4096);
      expect(tight.contextLength).toBeLessThan(planned().contextLength);
      expect(planned({ maxBytes: 1 }).contextLength).toBe(4096);
    });

    it('has what is chosen, with a cache that holds it', () => {
      const chosen = planned({ maxContext: 50_000, maxBytes: 5 * GIB });
      expect(chosen).toMatchObject({ contextLength: 50_000, contextNote: undefined });
      expect(chosen.plan.capacity.kvBlocks).toBe(Math.ceil(50_000 / KV_BLOCK_TOKENS));
      expect(chosen.bytes).toBeGreaterThan(5 * GIB);
      expect(planned({ maxContext: 2 ** 30, maxBytes: 64 * GIB }).contextLength).toBe(131_072);
    });
  });

  it('keeps a quarter of a long context in layers that see a window', () => {
    const windows = {
      model_type: 'gemma3_text',
      hidden_act: 'gelu_pytorch_tanh',
      sliding_window: 512,
      sliding_window_pattern: 6,
      query_pre_attn_scalar: 64,
    };
    const planned = (change: object) =>
      planModelMemory(artifactOf('0.5b', { ...windows, max_position_embeddings: 32_768, ...change }), {
        device,
        threads: 2,
        maxContext: 32_768,
        maxBytes: 1,
      });
    const [sliding, whole] = [planned({}), planned({ sliding_window: 32_768 })];
    expect(sliding.plan.capacity).toMatchObject({ kvBlocks: 1024, windows: [{ window: 512, blocks: 256 }] });
    expect(whole.plan.capacity).toMatchObject({ kvBlocks: 1024, windows: [] });
    // 20 of 24 layers have a window.
    expect(sliding.kvBytesPerToken / whole.kvBytesPerToken).toBeCloseTo((4 + 20 / 4) / 24, 5);
    expect(whole.bytes - sliding.bytes).toBeGreaterThan(0.6 * 32_768 * whole.kvBytesPerToken);
  });

  it('grows with its threads by what each needs for itself', () => {
    const [two, sixteen] = [2, 16].map((threads) => planModelMemory(artifactOf('1.1b'), { device, threads }).bytes);
    expect(((sixteen ?? 0) - (two ?? 0)) / 14).toBeLessThan(4 * 2 ** 20);
  });

  it('takes an artifact without a layout for one of the CPU, and says when a device repacks it', async () => {
    const artifact = artifactOf('1.1b');
    expect(planModelMemory(artifact, { device, threads: 2 }).layoutNote).toBeUndefined();
    const named = { ...artifact, manifest: { ...artifact.manifest, layout: layout.name } };
    expect(planModelMemory(named, { device, threads: 2 }).layoutNote).toBeUndefined();
    const reference = await devices.reference.prepare({ isPortable: true });
    const { layoutNote, planned } = planModelMemory(artifact, { device: reference, threads: 1 });
    expect(layoutNote).toBe('weights are packed as cpu-panels-1: each load repacks them as rows-f32-1 for this device');
    expect(planned.tensors.find(({ name }) => name === 'layers.0.down')).toMatchObject({ rows: 2048, columns: 5632 });
  });

  it('refuses an artifact in a layout that this version does not know', () => {
    const { manifest, directory } = artifactOf('1.1b');
    const other = { directory, manifest: { ...manifest, layout: 'tiles-7' } };
    expect(() => planModelMemory(other, { device, threads: 2 })).toThrow(
      /the layout tiles-7 .* Convert the model again/,
    );
  });

  it('refuses an artifact whose panels of one matrix are stored in different ways', () => {
    const { manifest, directory } = artifactOf('1.1b');
    const tensors = manifest.tensors.map((tensor) => {
      const other = { ...tensor, quant: 'q8' as const };
      return tensor.name === 'layers.3.down.1' ? { ...other, sizeBytes: layout.bytes(other) } : tensor;
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
