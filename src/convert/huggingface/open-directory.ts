import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { GenerationDefaults } from '../../artifact/index.js';
import type { JsonObject } from '../../base/index.js';
import { checkpointNames, parseModelConfig } from '../../model/index.js';
import { readSamplingNumbers } from '../../store/index.js';
import { openSafetensors, type BeforeRead } from '../../weights/index.js';
import { readChat } from './chat-settings.js';
import type { Checkpoint } from '../checkpoint.js';
import type { TokenizerSource } from '../tokenizer-source.js';
import { readCheckpointFiles, required, type CheckpointFiles } from './checkpoint-files.js';
import { invalidFile } from '../errors.js';
import { textTensors } from './text-tensors.js';
import { storedQuant } from '../packing/stored-quant.js';

const GENERATION_FILE = 'generation_config.json';
/** Its name of each number that makers recommend. */
const SAMPLING_NAMES = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  minP: 'min_p',
  repetitionPenalty: 'repetition_penalty',
} as const;

/** A Hugging Face directory. Errors: `checkpoint_not_found`, `checkpoint_invalid`, those of its config and of reading files. */
export async function openDirectory(directory: string, beforeRead?: BeforeRead): Promise<Checkpoint> {
  const files = await readCheckpointFiles(directory);
  // An unsupported model is refused for that reason, before other mistakes.
  const names = checkpointNames(parseModelConfig(files.config.json));
  const id = nameOf(await realpath(directory));
  const kept = new Map([['config.json', files.config.bytes]]);
  if (files.generation !== null) kept.set('generation_config.json', files.generation.bytes);
  const checkpoint = {
    id,
    source: { format: 'safetensors', name: id },
    config: files.config.json,
    generation: readGeneration(files),
    chat: readChat(files),
    files: kept,
  };
  const source = await openSafetensors(directory, beforeRead);
  const tensors = names === undefined ? source : textTensors(source, names);
  return {
    ...checkpoint,
    tensors,
    tokenizerSource: () => tokenizerSourceOf(files, directory),
    quantOf: (spec) => storedQuant(spec, 'q8'),
    [Symbol.asyncDispose]: () => tensors.close(),
  };
}

/** tokenizer.json, or else tokenizer.model. */
function tokenizerSourceOf(files: CheckpointFiles, directory: string): TokenizerSource {
  const { tokenizerJson, tokenizerModel, tokenizerConfig } = files;
  if (tokenizerJson === null && tokenizerModel !== null)
    return { kind: 'model', file: tokenizerModel, config: tokenizerConfig };
  return { kind: 'json', text: required(tokenizerJson, directory, 'tokenizer.json or tokenizer.model') };
}

/** …/models--org--name/snapshots/<commit> is org/name; any other directory keeps its own name. */
function nameOf(path: string): string {
  const snapshots = dirname(path);
  const cached = basename(snapshots) === 'snapshots' ? basename(dirname(snapshots)) : '';
  if (cached.startsWith('models--')) return cached.slice('models--'.length).replaceAll('--', '/');
  return basename(path);
}

/**
 * Stop ids from generation_config.json, or else from config.json, and the recommended sampling. `do_sample: false`
 * means greedy, whatever the other fields. Errors: `checkpoint_invalid`.
 */
function readGeneration(files: CheckpointFiles): GenerationDefaults {
  const generation = files.generation?.json ?? {};
  const stopTokenIds = readIds(generation, GENERATION_FILE) ?? readIds(files.config.json, 'config.json') ?? [];
  const sampling = readSamplingNumbers(
    SAMPLING_NAMES,
    (name) => (name === 'temperature' && generation['do_sample'] === false ? 0 : generation[name]),
    (name, value, expected) =>
      invalidFile(GENERATION_FILE, `has a ${name} of ${JSON.stringify(value)?.slice(0, 40)}; it must be ${expected}`),
  );
  return { stopTokenIds, ...sampling };
}

/** `eos_token_id`: a number or a list of them; undefined when absent. */
function readIds(from: JsonObject, file: string): number[] | undefined {
  const value = from['eos_token_id'];
  if (value === undefined || value === null) return undefined;
  const ids: unknown[] = Array.isArray(value) ? value : [value];
  return [...new Set(ids)].map((id) => {
    if (typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < 2 ** 31) return id;
    throw invalidFile(file, `has an eos_token_id that is not a token id: ${JSON.stringify(id)?.slice(0, 40)}`);
  });
}
