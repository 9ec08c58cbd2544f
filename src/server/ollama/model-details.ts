// Models as clients of Ollama read them.
import type { OllamaDetails, OllamaTags } from '../../api/index.js';
import { isAppError } from '../../base/index.js';
import type { ModelLibrary } from '../../library/index.js';
import { toRfc3339 } from '../../wire/index.js';

type Facts = Awaited<ReturnType<ModelLibrary['describe']>>;
type Model = Awaited<ReturnType<ModelLibrary['find']>>;

/** What clients write behind a name that has no other tag. */
const TAG = ':latest';

/** A model's name with its tag. */
export function toTaggedName(name: string): string {
  return name.includes(':') ? name : name + TAG;
}

/** What kind of model it is. */
export function toDetails(facts: Facts): OllamaDetails {
  const { architecture, contextLength, embeddingLength } = facts;
  return {
    parent_model: '',
    format: facts.format,
    family: architecture,
    families: [architecture],
    parameter_size: toParameterSize(facts.numParameters),
    quantization_level: facts.quantization,
    ...(contextLength !== undefined && { context_length: contextLength }),
    ...(embeddingLength !== undefined && { embedding_length: embeddingLength }),
  };
}

/** All models that can be read. Errors: those of listing. */
export async function listTagged(library: ModelLibrary): Promise<OllamaTags['models']> {
  const listed = await library.list();
  const entries: OllamaTags['models'] = [];
  // One after the other: a header is up to some megabytes.
  for (const model of listed) {
    const facts = await library.describe(model).catch(nothingIfUnreadable);
    if (facts !== undefined) entries.push(toTagged(model, facts));
  }
  return entries;
}

function toTagged({ id, changedMs }: Model, facts: Facts): OllamaTags['models'][number] {
  const tagged = toTaggedName(id);
  const { sizeBytes: size, digest } = facts;
  return { name: tagged, model: tagged, modified_at: toRfc3339(changedMs), size, digest, details: toDetails(facts) };
}

/** For a catch: what cannot be read, or is gone, is left out of a list. Throws what is a mistake of ours. */
export function nothingIfUnreadable(error: unknown): undefined {
  if (!isAppError(error)) throw error;
}

/** A number of parameters as people say it: `7.6B`, `494.03M`. */
function toParameterSize(count: number): string {
  if (count >= 1e9) return `${trim((count / 1e9).toFixed(1))}B`;
  if (count >= 1e6) return `${trim((count / 1e6).toFixed(2))}M`;
  return count >= 1e3 ? `${Math.round(count / 1e3)}K` : String(count);
}

/** Whole numbers have no point. */
function trim(number: string): string {
  return number.replace(/\.0+$/, '');
}
