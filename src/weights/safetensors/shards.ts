import { openCheckpointFile, readCheckpointFile } from '../checkpoint-file.js';
import { safetensorsInvalid, MAX_SAFETENSORS_HEADER_BYTES } from './header.js';

const SINGLE = 'model.safetensors';
const INDEX = 'model.safetensors.index.json';
/** Shards of one model: the largest published ones have about 200. */
const MAX_SHARDS = 10_000;

/**
 * The files of a checkpoint, each with the tensors that the index puts there (null: there is no index).
 * A single `model.safetensors` goes before an index. Null when the directory has neither. Errors: `checkpoint_invalid`.
 */
export async function readShardNames(directory: string): Promise<Map<string, Set<string> | null> | null> {
  const single = await openCheckpointFile(directory, SINGLE);
  if (single !== null) {
    await single.close();
    return new Map([[SINGLE, null]]);
  }
  const index = await readCheckpointFile(directory, INDEX, MAX_SAFETENSORS_HEADER_BYTES);
  return index === null ? null : parseIndex(index.toString('utf8'));
}

function parseIndex(text: string): Map<string, Set<string>> {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    throw safetensorsInvalid(INDEX, 'it is not JSON');
  }
  const map = typeof root === 'object' && root !== null && 'weight_map' in root ? root.weight_map : undefined;
  if (typeof map !== 'object' || map === null || Array.isArray(map))
    throw safetensorsInvalid(INDEX, 'it has no weight_map');
  const shards = new Map<string, Set<string>>();
  for (const [tensor, file] of Object.entries(map)) {
    if (typeof file !== 'string')
      throw safetensorsInvalid(INDEX, `it gives no file name for tensor "${tensor.slice(0, 200)}"`);
    const names = shards.get(file);
    if (names === undefined) shards.set(file, new Set([tensor]));
    else names.add(tensor);
  }
  if (shards.size === 0 || shards.size > MAX_SHARDS) {
    throw safetensorsInvalid(INDEX, `it lists ${shards.size} files; 1 to ${MAX_SHARDS} are possible`);
  }
  return shards;
}
