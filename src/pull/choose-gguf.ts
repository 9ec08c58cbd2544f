import { AppError, nearest } from '../base/index.js';
import type { HubFile } from '../hub/index.js';
import { readPartName } from '../weights/index.js';
import { isPlainName, sizeOfAll, type FilePlan, type PlannedFile } from './file-plan.js';
import { byPreference, DEFAULT_QUANT, readQuantLabel } from './gguf-quants.js';

/** One model in GGUF files: all its parts. */
interface Candidate {
  readonly label: string | undefined;
  readonly parts: readonly PlannedFile[];
  readonly sizeBytes: number;
  /** How many parts its names announce. */
  readonly count: number;
}

/** Files beside a model that are none: projectors of images, draft models, statistics of quantising. */
const SIDECAR = /(?:^|[-._/])(?:mmproj|mtp|imatrix|lora|adapter)(?=[-._/])/i;
/** Names of quants in a message. */
const MAX_LISTED = 24;

/** The GGUF files of a tree by model; what has no plain name is none. */
export function listCandidates(files: readonly HubFile[]): Candidate[] {
  const groups = new Map<
    string,
    { folder: string; stem: string; count: number; files: { number: number; file: HubFile; name: string }[] }
  >();
  for (const file of files) {
    const segments = file.path.split('/');
    const name = segments.pop() ?? '';
    if (!/\.gguf$/i.test(name) || SIDECAR.test(file.path) || segments[0] === 'original') continue;
    if (!isPlainName(name) || !segments.every(isPlainName)) continue;
    const part = readPartName(name);
    const folder = segments.join('/');
    const stem = part?.stem ?? name.replace(/\.gguf$/i, '');
    const key = `${folder}/${stem}/${part?.count ?? 1}`;
    const group = groups.get(key) ?? { folder, stem, count: part?.count ?? 1, files: [] };
    group.files.push({ number: part?.number ?? 1, file, name });
    groups.set(key, group);
  }
  return [...groups.values()].map(({ folder, stem, count, files: found }) => {
    const parts = found.toSorted((a, b) => a.number - b.number).map(({ file, name }) => ({ file, name }));
    return { label: readQuantLabel(stem) ?? readQuantLabel(folder), parts, sizeBytes: sizeOfAll(parts), count };
  });
}

/**
 * The model of the quant `asked` for, in any case; without one Q4_K_M, else the nearest. Errors: `pull_quant_missing`,
 * `pull_no_weights` where a part of it is not there.
 */
export function chooseGguf(repo: string, candidates: readonly Candidate[], asked: string | undefined): FilePlan {
  const labels = [...new Set(candidates.map(({ label }) => label))];
  const wanted = asked?.toUpperCase();
  const label = wanted === undefined ? byPreference(labels)[0] : labels.find((each) => each === wanted);
  // Of several with one quant, the first by its path.
  const chosen = candidates.find((each) => each.label === label);
  if (chosen === undefined || (wanted !== undefined && label === undefined))
    throw quantMissing(repo, asked ?? '', candidates);
  if (chosen.parts.length !== chosen.count) {
    const message = `${repo} has ${chosen.parts.length} of the ${chosen.count} parts of ${label ?? 'its GGUF file'}; choose another quant, or ask its publisher`;
    throw new AppError('pull_no_weights', message, { repo });
  }
  return {
    format: 'gguf',
    quant: label,
    small: [],
    weights: chosen.parts,
    others: candidates.flatMap((each) =>
      each.label === undefined || each === chosen ? [] : [{ quant: each.label, sizeBytes: each.sizeBytes }],
    ),
    note: wanted === undefined && label !== DEFAULT_QUANT ? noteOf(repo, label, candidates.length) : undefined,
  };
}

function noteOf(repo: string, label: string | undefined, count: number): string | undefined {
  if (count === 1) return undefined;
  return `${repo} has no ${DEFAULT_QUANT}; ${label ?? 'its first file'} is the nearest to it`;
}

function quantMissing(repo: string, asked: string, candidates: readonly Candidate[]): AppError {
  const labels = [...new Set(candidates.flatMap(({ label }) => label ?? []))].toSorted();
  const near = nearest(asked.toUpperCase(), labels);
  const meant = near === undefined ? '' : ` Did you mean ${repo}:${near}?`;
  const shown = labels.slice(0, MAX_LISTED).join(', ') || 'files whose names say no quant';
  return new AppError('pull_quant_missing', `${repo} has no quant ${asked}; it has ${shown}.${meant}`, {
    repo,
    quant: asked,
  });
}
