import type { StoredModel } from '../models-directory.js';
import { publicId, readOrigin } from '../origin.js';
import { readArtifactFacts } from './artifact-facts.js';
import { readGgufFacts } from './gguf-facts.js';
import type { ModelFacts } from './model-facts.js';

/** Models of which facts are remembered: more than a directory has. */
const MAX_KNOWN = 256;

/** Reads the facts of models, and caches them until the model changes. */
export interface FactsReader {
  /** `isVerbose`: with the long lists of a GGUF file; these are read each time. Errors: those of opening the model. */
  read(model: StoredModel, isVerbose?: boolean): Promise<ModelFacts>;
  /** The client's name of it: the id of its repository with the requested quant, or its name. */
  idOf(model: StoredModel): Promise<string>;
}

/** A header is up to some megabytes, and clients ask for all models each time that they show a list. */
export function createFactsReader(): FactsReader {
  const [facts, ids] = [remember(async (model) => readFacts(model, false)), remember(readId)];
  return {
    read: async (model, isVerbose = false) => (isVerbose ? readFacts(model, true) : facts(model)),
    idOf: ids,
  };
}

/** `read`, whose answer is kept for as long as the model does not change. */
function remember<T>(read: (model: StoredModel) => Promise<T>): (model: StoredModel) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (model) => {
    const key = `${model.changedMs} ${model.path}`;
    const answer = known.get(key) ?? read(model);
    known.set(key, answer);
    // An unreadable model may be repaired.
    answer.catch(() => known.delete(key));
    const [oldest] = known.keys();
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
    return answer;
  };
}

async function readId({ name, path, isFile }: StoredModel): Promise<string> {
  return isFile ? name : publicId(name, await readOrigin(path));
}

function readFacts({ path, isFile }: StoredModel, isVerbose: boolean): Promise<ModelFacts> {
  return isFile ? readGgufFacts(path, isVerbose) : readArtifactFacts(path);
}
