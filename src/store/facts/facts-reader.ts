import type { StoredModel } from '../models-directory.js';
import { readArtifactFacts } from './artifact-facts.js';
import { readGgufFacts } from './gguf-facts.js';
import type { ModelFacts } from './model-facts.js';

/** Models of which facts are remembered: more than a directory has. */
const MAX_KNOWN = 256;

/** Reads what models say of themselves, and remembers it for as long as they do not change. */
export interface FactsReader {
  /** `isVerbose`: with the long lists of a GGUF file; these are read each time. Errors: those of opening the model. */
  read(model: StoredModel, isVerbose?: boolean): Promise<ModelFacts>;
}

/** A header is up to some megabytes, and clients ask for all models each time that they show a list. */
export function createFactsReader(): FactsReader {
  const known = new Map<string, Promise<ModelFacts>>();
  return {
    async read(model, isVerbose = false) {
      if (isVerbose) return readFacts(model, true);
      const key = `${model.changedMs} ${model.path}`;
      const facts = known.get(key) ?? readFacts(model, false);
      known.set(key, facts);
      // What cannot be read may be mended.
      facts.catch(() => known.delete(key));
      const [oldest] = known.keys();
      if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
      return facts;
    },
  };
}

function readFacts({ path, isFile }: StoredModel, isVerbose: boolean): Promise<ModelFacts> {
  return isFile ? readGgufFacts(path, isVerbose) : readArtifactFacts(path);
}
