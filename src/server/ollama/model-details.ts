// Models as clients of Ollama read them.
import type { OllamaDetails, OllamaTags } from '../../api/index.js';
import { isAppError } from '../../base/index.js';
import type { ModelLibrary } from '../../models/index.js';
import { toRfc3339 } from '../../wire/index.js';

type Facts = Awaited<ReturnType<ModelLibrary['describe']>>;
type Model = Awaited<ReturnType<ModelLibrary['find']>>;

/** The tag that clients add to a name without a tag. */
const TAG = ':latest';

/** A model's name with its tag. */
export function toTaggedName(name: string): string {
  return name.includes(':') ? name : name + TAG;
}

/** The family of a model. */
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

/** All readable models. Errors: those of listing. */
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

/** For a catch: leaves unreadable or removed models out of a list. Rethrows our own mistakes. */
export function nothingIfUnreadable(error: unknown): undefined {
  if (!isAppError(error)) throw error;
}

/** A number of parameters in the usual form: `7.6B`, `494.03M`. */
function toParameterSize(count: number): string {
  if (count >= 1e9) return `${trim((count / 1e9).toFixed(1))}B`;
  if (count >= 1e6) return `${trim((count / 1e6).toFixed(2))}M`;
  return count >= 1e3 ? `${Math.round(count / 1e3)}K` : String(count);
}

/** Whole numbers without a point. */
function trim(number: string): string {
  return number.replace(/\.0+$/, '');
}
