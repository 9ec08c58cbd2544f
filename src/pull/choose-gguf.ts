import { AppError, nearest } from '../base/index.js';
import type { HubFile } from '../hub/index.js';
import { quantFactsOf, readPartName, readQuantLabel, toQuantLabel } from '../weights/index.js';
import { isPlainName, isReadablePath, sizeOfAll, toPlainName, type FilePlan, type PlannedFile } from './file-plan.js';
import { byPreference, DEFAULT_QUANT, findQuant, isUsable } from './gguf-quants.js';
import { doubtOf, type ModelDoubt } from './sidecars.js';

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
  const shown = labels.slice(0, MAX_LISTED).join(', ') || 'files whose names say no quant';
  return new AppError('pull_quant_missing', `${repo} has no quant ${asked}; it has ${shown}.${meant}`, {
    repo,
    quant: asked,
  });
}
