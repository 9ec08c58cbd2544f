// A model with random weights in memory, without files or threads: what engine and compute suites run on.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  allocateSegments,
  createDevice,
  createSegmentMemory,
  kernelSets,
  openSegments,
  planMemory,
  tensorView,
  type Capacity,
  type KernelSetName,
  type MemoryPlan,
  type PreparedKernels,
  type SegmentDevice,
} from '../../src/compute/devices/cpu/index.js';
import { devices, type ComputeGraph, type DeviceMemory, type PlannedTensor } from '../../src/compute/index.js';
import { stateBytes, stateSlotsFor } from '../../src/compute/plan-blocks.js';
import {
  forwardGraph,
  parseModelConfig,
  weightTable,
  type ModelConfig,
  type WeightSpec,
} from '../../src/model/index.js';
import { packMatrix, quantOf, type QuantName } from '../../src/weights/index.js';

const { layout } = devices.cpu;

/** A qwen3 with odd sizes: grouped heads, a head of 24, an intermediate that is no multiple of 32. */
export const TINY_CONFIG = {
  model_type: 'qwen3',
  vocab_size: 197,
  hidden_size: 72,
  intermediate_size: 100,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 24,
  max_position_embeddings: 256,
  rms_norm_eps: 1e-6,
  rope_theta: 10000,
  tie_word_embeddings: true,
};

/** Changes to a gemma3: norms before and after each part, gelu, and two kinds of layers; one sees 40 tokens and turns faster. */
export const TINY_GEMMA3 = {
  model_type: 'gemma3_text',
  num_hidden_layers: 4,
  num_key_value_heads: 1,
  query_pre_attn_scalar: 20,
  sliding_window: 40,
  sliding_window_pattern: 2,
  rope_theta: 1_000_000,
};

const VECTORS = join(process.cwd(), 'test/vectors/models');

/** The config.json of each oracle model, with the odd sizes of TINY_CONFIG: [its folder, what TINY_CONFIG takes of it]. */
export const tinyFamilies = readdirSync(VECTORS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => {
    const whole = JSON.parse(readFileSync(join(VECTORS, name, 'config.json'), 'utf8')) as Record<string, unknown>;
    // A multimodal checkpoint has its text model's fields one level deeper.
    const config = { ...whole, ...(whole['text_config'] as object | undefined), text_config: null };
    const { vocab_size, hidden_size, intermediate_size, num_attention_heads, num_key_value_heads, head_dim } =
      TINY_CONFIG;
    const sizes = { vocab_size, hidden_size, intermediate_size, num_attention_heads, num_key_value_heads, head_dim };
    return [name, { rope_scaling: null, ...config, ...sizes, max_position_embeddings: 256 }] as const;
  });

/** Of these one of each kind of layer. */
export const distinctFamilies = tinyFamilies.filter(([name]) => !/^(?:llama-|llama2|qwen3-untied|olmo2)/.test(name));

/** What a suite may choose. */
export interface TinyOptions {
  readonly kernels?: KernelSetName;
  readonly quant?: QuantName;
  readonly config?: Record<string, unknown>;
  readonly capacity?: Partial<Capacity>;
  /** Wide matrices in one piece, as no artifact has them: the twin of those in panels, with the same weights. */
  readonly isWhole?: boolean;
  /** Changes the model of the configuration to one that no family has. */
  readonly change?: (
    graph: ComputeGraph,
    specs: readonly WeightSpec[],
  ) => { readonly graph: ComputeGraph; readonly specs: readonly WeightSpec[] };
  /** The device waits for so many: default 1, the caller's own. See `startTinyThreadGroup`. */
  readonly threads?: number;
  /** A model of the same configuration and quant, whose weights are copied: drawing and packing them takes longer. */
  readonly weightsOf?: Pick<TinyModel, 'plan' | 'memories'> | undefined;
}

/** A planned, filled model. */
export interface TinyModel {
  readonly config: ModelConfig;
  readonly graph: ComputeGraph;
  readonly plan: MemoryPlan;
  readonly memories: WebAssembly.Memory[];
  readonly kernels: PreparedKernels;
  readonly device: SegmentDevice;
}

/** Where everything of it would lie. Errors: `out_of_memory`. */
export function planTinyModel(options: TinyOptions = {}) {
  const quant = options.quant ?? 'q8';
  const config = parseModelConfig({ ...TINY_CONFIG, ...options.config });
  const { isWhole = false, change = (graph, specs) => ({ graph, specs }) } = options;
  const { graph, specs } = change(forwardGraph(config), weightTable(config));
  const tensors = arrangeTiny(graph, specs, quant, isWhole);
  const plan = planMemory(graph, tensors, {
    kvFormat: quantOf(quant).activations === 'int8' && quant !== 'q4m' ? 'q8' : 'f32',
    kvBlocks: 64,
    stateSlots: stateSlotsFor(16, stateBytes(graph.ops)),
    maxRows: 64,
    maxSequences: 16,
    maxBlocksPerSequence: config.contextLength / 32,
    threads: options.threads ?? 1,
    segmentBytes: 2 ** 30,
    ...options.capacity,
  });
  return { config, graph, specs, tensors, plan };
}

/** Builds it: the same options give the same weights, and the portable kernels the same bits on every machine. */
export async function createTinyModel(options: TinyOptions = {}): Promise<TinyModel> {
  const { config, graph, tensors, plan } = planTinyModel(options);
  const memories = allocateSegments(plan);
  const viewOf = (name: string, sizeBytes: number): Uint8Array => tensorView(plan, memories, name, sizeBytes);
  const { weightsOf } = options;
  if (weightsOf === undefined) fillTensors(tensors, viewOf);
  else {
    for (const tensor of tensors) {
      const sizeBytes = layout.bytes(tensor);
      viewOf(tensor.name, sizeBytes).set(tensorView(weightsOf.plan, weightsOf.memories, tensor.name, sizeBytes));
    }
  }
  const kernels = await kernelSets[options.kernels ?? 'wasm'].prepare({ isPortable: true });
  const device = createDevice(graph, plan, openSegments(kernels, memories));
  return { config, graph, plan, memories, kernels, device };
}

/** Fills tensors with weights, the same each time. */
export function fillTensors(
  tensors: ReturnType<typeof planTinyModel>['tensors'],
  targetOf: (name: string, sizeBytes: number) => Uint8Array,
): void {
  let stream = -1;
  for (const tensor of tensors) {
    if (tensor.columnStart === 0) stream++;
    const all = randomWeights(tensor.rows * tensor.wholeColumns, stream, tensor.kind === 'vector');
    // A recurrence that remembers for some ten tokens.
    if (tensor.name.endsWith('.logDecay')) all.set(all.map((value) => value - 4));
    const values = columnsOf(all, tensor);
    const target = targetOf(tensor.name, layout.bytes(tensor));
    const isVector = tensor.kind === 'vector';
    target.set(
      isVector ? new Uint8Array(values.buffer) : packMatrix(tensor.quant, values, tensor.rows, tensor.columns),
    );
  }
}

/** Its memory as an engine's tree takes it, for so many threads. */
export function toDeviceMemory(model: Omit<TinyModel, 'config' | 'device'>, threads: number): DeviceMemory {
  const { graph, plan, kernels, memories } = model;
  return createSegmentMemory({ device: 'cpu', graph, plan, kernels, memories, threads });
}

/** A tensor of the CPU's layout, and the columns of all panels of its matrix. */
interface TinyTensor extends PlannedTensor {
  readonly wholeColumns: number;
}

/** The tensors in the CPU's layout; `isWhole`: every matrix in place of its first panel, nothing in place of the others. */
function arrangeTiny(
  graph: ComputeGraph,
  specs: readonly WeightSpec[],
  quant: QuantName,
  isWhole: boolean,
): TinyTensor[] {
  const widths = new Map(specs.map(({ name, columns }) => [name, columns]));
  const tensors = layout.arrange(graph, specs).map((tensor): TinyTensor => {
    const wholeColumns = widths.get(tensor.of[0] ?? '') ?? tensor.columns;
    return { ...tensor, wholeColumns, quant: tensor.kind === 'vector' ? 'f32' : quant };
  });
  if (!isWhole) return tensors;
  const firsts = tensors.filter(({ columnStart }) => columnStart === 0);
  return firsts.map((tensor) => {
    const isPanel = tensor.columns < tensor.wholeColumns;
    return isPanel ? { ...tensor, name: tensor.name.replace(/\.0$/, ''), columns: tensor.wholeColumns } : tensor;
  });
}

/** The columns of [rows, wholeColumns] values that a panel takes. */
function columnsOf(all: Float32Array, { rows, columns, columnStart, wholeColumns }: TinyTensor): Float32Array {
  const values = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    const from = row * wholeColumns + columnStart;
    values.set(all.subarray(from, from + columns), row * columns);
  }
  return values;
}

/** Around 1 for norms, around 0 for matrices, wide enough that attention is neither flat nor one-hot. */
function randomWeights(count: number, stream: number, isVector: boolean): Float32Array {
  const values = new Float32Array(count);
  // xorshift32 (Marsaglia 2003): millions of weights in milliseconds.
  let state = 0x9e37_79b9 ^ (stream + 1);
  for (let i = 0; i < count; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const centred = (state >>> 0) / 0x1_0000_0000 - 0.5;
    values[i] = isVector ? 1 + centred * 0.4 : centred * 0.5;
  }
  return values;
}
