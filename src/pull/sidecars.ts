import type { HubFile } from '../hub/index.js';
import { readQuantLabel } from '../weights/index.js';

/** How sure the name of a GGUF file makes it that the file is a model. */
export type ModelDoubt = 'model' | 'doubtful' | 'sidecar';

/** Words that mark files beside a model: a sidecar begins with one, or lies in a folder of that name. */
const FIRST: ReadonlySet<string> = new Set(['mtp', 'lora', 'loras', 'adapter', 'adapters', 'draft']);
/** Words that also occur in names of models. */
const WORDS: ReadonlySet<string> = new Set([...FIRST, 'imatrix', 'imat']);

/**
 * Whether a GGUF file is a model, or lies beside one: a projector of images (`mmproj`), a draft (`mtp-…`), an adapter
 * (`lora-…`), statistics of quantising (`imatrix` without a quant). A word that the repository has in its own name says nothing.
 * `stem`: the file's name without `.gguf` and the number of its part.
 */
export function doubtOf(repo: string, { path }: Pick<HubFile, 'path'>, stem: string): ModelDoubt {
  const folders = path.split('/').slice(0, -1);
  const words = wordsOf(stem);
  if (words.includes('mmproj')) return 'sidecar';
  if (folders.some((folder) => FIRST.has(folder.toLowerCase()) || wordsOf(folder)[0] === 'mmproj')) return 'sidecar';
  const base = repo.slice(repo.indexOf('/') + 1).replace(/[-_.]?gguf$/i, '');
  const isNamedAsRepository = base.length > 1 && stem.toLowerCase().startsWith(base.toLowerCase());
  if (FIRST.has(words[0] ?? '') && !isNamedAsRepository) return 'sidecar';
  const isAdapterModel = words.some((word, i) => word === 'adapter' && words[i + 1] === 'model');
  if (isAdapterModel && !isNamedAsRepository) return 'sidecar';
  const hasQuant = readQuantLabel(stem) !== undefined;
  if (words.includes('imatrix') && !hasQuant) return 'sidecar';
  const ofRepository = new Set(wordsOf(base));
  return words.some((word) => WORDS.has(word) && !ofRepository.has(word)) ? 'doubtful' : 'model';
}

function wordsOf(name: string): string[] {
  return name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}
