import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { throwFileError } from '../../base/index.js';
import { listParts, openGguf, TextList, type GgufSource, type MetadataValue } from '../../weights/index.js';
import { readGgufSampling } from './recommended-sampling.js';
import { factNumberOf, type FactValue, type ModelFacts } from './model-facts.js';

/** Names of `general.file_type`. Source: llama.cpp, include/llama.h, `llama_ftype`. */
const FILE_TYPES: ReadonlyMap<unknown, string> = new Map([
  [0, 'F32'],
  [1, 'F16'],
  [2, 'Q4_0'],
  [3, 'Q4_1'],
  [7, 'Q8_0'],
  [8, 'Q5_0'],
  [9, 'Q5_1'],
  [10, 'Q2_K'],
  [11, 'Q3_K_S'],
  [12, 'Q3_K_M'],
  [13, 'Q3_K_L'],
  [14, 'Q4_K_S'],
  [15, 'Q4_K_M'],
  [16, 'Q5_K_S'],
  [17, 'Q5_K_M'],
  [18, 'Q6_K'],
  [25, 'IQ4_NL'],
  [30, 'IQ4_XS'],
  [32, 'BF16'],
]);
/** Longer lists (tokens, merges, scores) are shown only where everything is asked for. */
const MAX_LIST = 64;

/**
 * The facts of a GGUF file. `isVerbose`: with its long lists, which are null otherwise. Errors: those of its header.
 */
export async function readGgufFacts(path: string, isVerbose: boolean): Promise<ModelFacts> {
  await using source = await openGguf(path);
  const { metadata, tensors } = source;
  const parts = await Promise.all(
    (await listParts(path)).map((part) => stat(part).catch(throwFileError('read', part))),
  );
  const sizeBytes = parts.reduce((sum, { size }) => sum + size, 0);
  const counts = Array.from(tensors.values(), ({ shape }) => shape.reduce((product, size) => product * size, 1));
  const numParameters = counts.reduce((sum, count) => sum + count, 0);
  const info = readInfo(metadata, numParameters, isVerbose);
  const architecture = textOf(metadata.get('general.architecture')) ?? 'unknown';
  return {
    format: 'gguf',
    architecture,
    sizeBytes,
    digest: digestOfHeader(source, [sizeBytes, ...parts.map(({ mtimeMs }) => mtimeMs)]),
    numParameters,
    quantization: FILE_TYPES.get(metadata.get('general.file_type')) ?? commonType(source),
    contextLength: factNumberOf(info, `${architecture}.context_length`),
    embeddingLength: factNumberOf(info, `${architecture}.embedding_length`),
    info,
    template: textOf(metadata.get('tokenizer.chat_template')) ?? null,
    bosToken: tokenOf(metadata, 'bos'),
    eosToken: tokenOf(metadata, 'eos'),
    generation: readGgufSampling(metadata, basename(path)),
    license: textOf(metadata.get('general.license')),
    origin: undefined,
    tensors: Array.from(tensors, ([name, { dtype, shape }]) => ({ name, type: dtype, shape })),
  };
}

function readInfo(metadata: GgufSource['metadata'], numParameters: number, isVerbose: boolean): ModelFacts['info'] {
  const isLong = (value: MetadataValue): boolean => typeof value === 'object' && value.length > MAX_LIST;
  const entries = Array.from(metadata)
    .filter(([key]) => key !== 'tokenizer.chat_template')
    .map(([key, value]) => [key, isLong(value) && !isVerbose ? null : toFact(value)] as const);
  return { 'general.parameter_count': numParameters, ...Object.fromEntries(entries) };
}

/** Numbers beyond 2^53 are rounded, as JSON's readers do. */
function toFact(value: MetadataValue): FactValue {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof TextList) return value.toArray();
  if (typeof value === 'object') return Array.from<MetadataValue, FactValue>(value, toFact);
  return typeof value === 'number' && !Number.isFinite(value) ? null : value;
}

/** The header without its lists: a file with other tokens has other sizes too. */
function digestOfHeader({ metadata, tensors }: GgufSource, identity: readonly number[]): string {
  const plain = Array.from(metadata, ([key, value]) => [key, typeof value === 'object' ? '' : String(value)]);
  const facts = [plain, [...tensors], identity];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

/** The type that most matrices are stored in. */
function commonType({ tensors }: GgufSource): string {
  const counts = new Map<string, number>();
  for (const { dtype, shape } of tensors.values()) {
    if (shape.length > 1) counts.set(dtype, (counts.get(dtype) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 'unknown';
}

function tokenOf(metadata: GgufSource['metadata'], name: 'bos' | 'eos'): string | null {
  const id = metadata.get(`tokenizer.ggml.${name}_token_id`);
  const tokens = metadata.get('tokenizer.ggml.tokens');
  return (typeof id === 'number' && tokens instanceof TextList ? tokens.at(id) : undefined) ?? null;
}

function textOf(value: MetadataValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
