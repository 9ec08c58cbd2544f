import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { parseModelConfig } from '../../model/index.js';
import { openSafetensors, type BeforeRead } from '../../weights/index.js';
import { readChat } from './chat-settings.js';
import type { Checkpoint } from '../checkpoint.js';
import type { TokenizerSource } from '../tokenizer-source.js';
import { readCheckpointFiles, required, type CheckpointFiles } from './checkpoint-files.js';
import { readGeneration } from './generation-settings.js';
import { storedQuant } from '../packing/stored-quant.js';

/** A Hugging Face directory. Errors: `checkpoint_not_found`, `checkpoint_invalid`, those of its config and of reading files. */
export async function openDirectory(directory: string, beforeRead?: BeforeRead): Promise<Checkpoint> {
  const files = await readCheckpointFiles(directory);
  // An unsupported model is refused for that reason, before other mistakes.
  parseModelConfig(files.config.json);
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
  const tensors = await openSafetensors(directory, beforeRead);
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
