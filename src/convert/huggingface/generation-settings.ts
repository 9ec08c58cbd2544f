import { type JsonObject } from '../../base/index.js';
import type { GenerationDefaults } from '../../artifact/index.js';
import type { CheckpointFiles } from './checkpoint-files.js';
import { invalidFile } from '../errors.js';

const FILE = 'generation_config.json';

/**
 * Stop ids from generation_config.json, or else from config.json, and the recommended sampling. `do_sample: false`
 * means greedy, whatever the other fields. Errors: `checkpoint_invalid`.
 */
export function readGeneration(files: CheckpointFiles): GenerationDefaults {
  const generation = files.generation?.json ?? {};
  const stopTokenIds = readIds(generation, FILE) ?? readIds(files.config.json, 'config.json') ?? [];
  const greedy = generation['do_sample'] === false;
  const sampling = {
    temperature: greedy ? 0 : readNumber(generation, 'temperature', 0, Infinity),
    topP: readNumber(generation, 'top_p', 0, 1),
    topK: readNumber(generation, 'top_k', -1, 2 ** 31 - 1),
    minP: readNumber(generation, 'min_p', 0, 1),
    repetitionPenalty: readNumber(generation, 'repetition_penalty', Number.MIN_VALUE, Infinity),
  };
  const given = Object.entries(sampling).filter(([, value]) => value !== undefined);
  return { stopTokenIds, ...Object.fromEntries(given) };
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

function readNumber(from: JsonObject, key: string, min: number, max: number): number | undefined {
  const value = from[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !(value >= min && value <= max)) {
    throw invalidFile(FILE, `has a ${key} of ${JSON.stringify(value)?.slice(0, 40)}; ${min} to ${max} is possible`);
  }
  // transformers sometimes writes whole numbers as floats; top_k is a count, and -1 disables it as 0 does.
  return key === 'top_k' ? Math.max(0, Math.round(value)) : value;
}
