import { AppError, nearest } from '../../base/index.js';
import type { HubFile } from '../../hub/index.js';
import { quantFactsOf, readPartName, readQuantLabel, toQuantLabel } from '../../weights/index.js';
import { isPlainName, isReadablePath, sizeOfAll, toPlainName, type FilePlan, type PlannedFile } from './file-plan.js';
import { byPreference, DEFAULT_QUANT, findQuant, isUsable } from './gguf-quants.js';

/** One model in GGUF files: all its parts. */
interface Candidate {
  readonly label: string | undefined;
  readonly doubt: ModelDoubt;
  readonly parts: readonly PlannedFile[];
  readonly sizeBytes: number;
  /** How many parts its names announce. */
  readonly count: number;
}

/** Whether a model of this many bytes in GGUF files fits the memory here. */
export type FitsMemory = (sizeBytes: number) => boolean;

/** Names of quants in a message. */
const MAX_LISTED = 24;
/** A file with a doubtful name is a model if it has this share of the weights of the largest certain model. */
const SHARE_OF_MODEL = 0.5;

/** The GGUF files of a tree by model, certain models first; sidecar files are left out. */
export function listCandidates(repo: string, files: readonly HubFile[]): Candidate[] {
  const groups = new Map<
    string,
    { folder: string; stem: string; count: number; files: { number: number; file: HubFile; name: string }[] }
  >();
  for (const file of files) {
    const segments = file.path.split('/');
    const name = segments.pop() ?? '';
    if (!/\.gguf$/i.test(name) || segments[0] === 'original' || !isReadablePath(file.path)) continue;
    const part = readPartName(name);
    const folder = segments.join('/');
    const stem = part?.stem ?? name.replace(/\.gguf$/i, '');
    const key = `${folder}/${stem}/${part?.count ?? 1}`;
    const group = groups.get(key) ?? { folder, stem, count: part?.count ?? 1, files: [] };
    group.files.push({ number: part?.number ?? 1, file, name });
    groups.set(key, group);
  }
  const all = [...groups.values()].map(({ folder, stem, count, files: found }): Candidate => {
    const parts = found
      .toSorted((a, b) => a.number - b.number)
      .map(({ file, name }) => ({ file, name: isPlainName(name) ? name : toPlainName(stem, name) }));
    const label = readQuantLabel(stem) ?? readQuantLabel(folder);
    const [first] = found;
    const doubt = first === undefined ? 'sidecar' : doubtOf(repo, first.file, stem);
    return { label, doubt, parts, sizeBytes: sizeOfAll(parts), count };
  });
  return withoutSidecars(all);
}

/** Beside certain models, a doubtful file counts as a model only if it is about as large. */
function withoutSidecars(all: readonly Candidate[]): Candidate[] {
  const models = all.filter(({ doubt }) => doubt === 'model');
  const doubtful = all.filter(({ doubt }) => doubt === 'doubtful');
  if (models.length === 0) return doubtful;
  const largest = Math.max(...models.map(weightsOf));
  return [...models, ...doubtful.filter((each) => weightsOf(each) >= SHARE_OF_MODEL * largest)];
}

/** The approximate number of weights of a model; the file's other content counts too. */
function weightsOf({ label, sizeBytes }: Candidate): number {
  return sizeBytes / ((label === undefined ? undefined : quantFactsOf(label))?.bits ?? 16);
}

/** Whether a repository has a file of that very quant. */
export function hasQuant(candidates: readonly Candidate[], asked: string): boolean {
  return candidates.some(({ label }) => label === toQuantLabel(asked));
}

/**
 * The model with the quant `asked`; without `asked`, Q4_K_M. Where that is missing or does not fit, the best one that fits
 * (`byPreference`). Errors: `pull_quant_missing`, `pull_no_weights` where a part of it is not there.
 */
export function chooseGguf(
  repo: string,
  candidates: readonly Candidate[],
  asked: string | undefined,
  fits: FitsMemory = () => true,
): FilePlan {
  const labels = [...new Set(candidates.map(({ label }) => label))];
  const wanted = asked === undefined ? undefined : toQuantLabel(asked);
  const chosen =
    wanted === undefined ? chooseUnasked(candidates, labels, fits) : chooseAsked(candidates, labels, wanted);
  if (chosen === undefined) throw quantMissing(repo, wanted ?? '', candidates);
  const { label, parts, count } = chosen;
  if (parts.length !== count) {
    const message = `${repo} has ${parts.length} of the ${count} parts of ${label ?? 'its GGUF file'}; choose another quant, or ask its publisher`;
    throw new AppError('pull_no_weights', message, { repo });
  }
  return {
    format: 'gguf',
    quant: label,
    small: [],
    weights: parts,
    others: candidates.flatMap((each) =>
      each.label === undefined || each === chosen ? [] : [{ quant: each.label, sizeBytes: each.sizeBytes }],
    ),
    note: noteOf(repo, labels, chosen, wanted, candidates.length),
  };
}

// Of several files with one quant the first by its path is taken: candidates are in this order.
function chooseAsked(
  candidates: readonly Candidate[],
  labels: readonly (string | undefined)[],
  wanted: string,
): Candidate | undefined {
  const label = findQuant(labels, wanted);
  return label === undefined ? undefined : candidates.find((each) => each.label === label);
}

function chooseUnasked(
  candidates: readonly Candidate[],
  labels: readonly (string | undefined)[],
  fits: FitsMemory,
): Candidate | undefined {
  const order = byPreference(labels).flatMap((label) => candidates.find((each) => each.label === label) ?? []);
  const [first] = order;
  if (first === undefined || fits(first.sizeBytes)) return first;
  return order.find(({ label, sizeBytes }) => label !== undefined && isUsable(label) && fits(sizeBytes)) ?? first;
}

function noteOf(
  repo: string,
  labels: readonly (string | undefined)[],
  { label }: Candidate,
  wanted: string | undefined,
  count: number,
): string | undefined {
  if (wanted !== undefined) return label === wanted ? undefined : `${repo} has no ${wanted}; ${label} is taken`;
  if (count === 1 || label === DEFAULT_QUANT) return undefined;
  if (!labels.includes(DEFAULT_QUANT)) {
    return `${repo} has no ${DEFAULT_QUANT}; ${label ?? 'its first file'} is the nearest to it`;
  }
  return `${DEFAULT_QUANT} of ${repo} does not fit the memory here; ${label ?? 'its first file'} does, and is taken`;
}

function quantMissing(repo: string, asked: string, candidates: readonly Candidate[]): AppError {
  const labels = [...new Set(candidates.flatMap(({ label }) => label ?? []))].toSorted();
  const near = nearest(asked, labels);
  const meant = near === undefined ? '' : ` Did you mean ${repo}:${near}?`;
  const shown = labels.slice(0, MAX_LISTED).join(', ') || 'files without a quant in their names';
  return new AppError('pull_quant_missing', `${repo} has no quant ${asked}; it has ${shown}.${meant}`, {
    repo,
    quant: asked,
  });
}

/** How sure the name of a GGUF file makes it that the file is a model. */
type ModelDoubt = 'model' | 'doubtful' | 'sidecar';

/** Words that mark files beside a model: a sidecar begins with one, or lies in a folder of that name. */
const FIRST: ReadonlySet<string> = new Set(['mtp', 'lora', 'loras', 'adapter', 'adapters', 'draft']);
/** Words that also occur in names of models. */
const WORDS: ReadonlySet<string> = new Set([...FIRST, 'imatrix', 'imat']);

/**
 * Whether a GGUF file is a model, or lies beside one: a projector of images (`mmproj`), a draft (`mtp-…`), an adapter
 * (`lora-…`), statistics of quantising (`imatrix` without a quant). A word that the repository has in its own name says nothing.
 * `stem`: the file's name without `.gguf` and the number of its part.
 */
function doubtOf(repo: string, { path }: Pick<HubFile, 'path'>, stem: string): ModelDoubt {
  const folders = path.split('/').slice(0, -1);
  const words = wordsOf(stem);
  if (words.includes('mmproj')) return 'sidecar';
  if (folders.some((folder) => FIRST.has(folder.toLowerCase()) || wordsOf(folder)[0] === 'mmproj')) return 'sidecar';
  const base = repo.slice(repo.indexOf('/') + 1).replace(/[-_.]?gguf$/i, '');
  const isNamedAsRepository = base.length > 1 && stem.toLowerCase().startsWith(base.toLowerCase());
  if (FIRST.has(words[0] ?? '') && !isNamedAsRepository) return 'sidecar';
  const isAdapterModel = words.some((word, i) => word === 'adapter' && words[i + 1] === 'model');
  if (isAdapterModel && !isNamedAsRepository) return 'sidecar';
  const namesQuant = readQuantLabel(stem) !== undefined;
  if (words.includes('imatrix') && !namesQuant) return 'sidecar';
  const ofRepository = new Set(wordsOf(base));
  return words.some((word) => WORDS.has(word) && !ofRepository.has(word)) ? 'doubtful' : 'model';
}

function wordsOf(name: string): string[] {
  return name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}
