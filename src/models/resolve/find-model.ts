/**
 * The one resolver of names, and its two policies: what a name may mean, and what is said of a name that means nothing.
 * Policies are data, which `lookUp` and `locate-model.ts` follow.
 */
import { stat } from 'node:fs/promises';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, hasErrorCode, isAppError, locate, throwFileError } from '../../base/index.js';
import {
  DEMO,
  describeArtifact,
  findStoredModel,
  listEntries,
  parseModelId,
  readKnownName,
  suggestKnownName,
  type StoredEntry,
  type StoredModel,
} from '../../store/index.js';
import type { HubReference } from '../pull/pull-model.js';
import { notFound } from './not-found.js';

/** Longest name that is looked up: a repository id of a hub has at most 96 characters, a file name 255 bytes. */
const MAX_NAME = 512;

/** Where the demo model's artifact is, which the build converts. Errors: `package_not_found`. */
export function demoDirectory(): string {
  return fileURLToPath(locate('dist/demo/'));
}

/** Whether `name` is the demo; clients of Ollama add the tag. */
export function isDemo(name: string): boolean {
  return name === DEMO || name === `${DEMO}:latest`;
}

/** The named models: `demo` first, then those of `modelsDir`, if set. Errors: those of `listEntries`. */
export async function listNamed(modelsDir: string | undefined): Promise<StoredEntry[]> {
  const stored = modelsDir === undefined ? [] : await listEntries(modelsDir);
  const demo = await describeArtifact(DEMO, demoDirectory());
  return [...(demo ? [demo] : []), ...stored.filter(({ name }) => name !== DEMO)];
}

/** A kind of callers, by what they may name. */
export interface NamePolicy {
  /**
   * The meanings of a name besides `demo`, in this order: a name of the models directory, a path, or a path below the
   * models directory.
   */
  readonly means: readonly ('name' | 'path' | 'below')[];
  /** The error for a name without a model. `mayPull`: whether it would be pulled; undefined: no pull is considered. */
  readonly notFound: (name: string, modelsDir: string | undefined, mayPull?: boolean) => Promise<AppError>;
  /** The error for a missing model whose pull failed with `refusal`. */
  readonly notPulled: (missing: AppError, refusal: unknown) => unknown;
}

/** Users of a terminal and programs: they may read files, so a path precedes a name. Errors: `artifact_not_found`. */
export const users: NamePolicy = {
  means: ['path', 'name', 'below'],
  async notFound(name, modelsDir, mayPull) {
    const missing = await notFound(name, modelsDir);
    const isRepository = toReference(name) !== undefined;
    if (mayPull === false && isRepository) return withHint(missing, 'pulling it from a hub is turned off');
    const near = mayPull === true && !isRepository ? suggestKnownName(name) : undefined;
    return near === undefined ? missing : withHint(missing, `of names that are pulled from a hub: ${near}`);
  },
  // The user may have typed a path, or the name of a local model.
  notPulled(missing, refusal) {
    if (hasErrorCode(refusal, 'hub_offline')) return withHint(missing, 'HF_HUB_OFFLINE forbids to pull it from a hub');
    if (!isAppError(refusal) || refusal.code !== 'hub_repository_missing') return refusal;
    return new AppError(refusal.code, `${missing.message}; and ${refusal.message}`, refusal.details, {
      cause: refusal,
    });
  },
};

/**
 * Requests over a network: names alone, and none becomes a path. `howToList`: how clients find the models, the end of
 * a sentence. `mayPull`: a short name that is nearly a known one may be meant. Errors: `model_not_found`.
 */
export function requests(howToList: string, mayPull: boolean): NamePolicy {
  return {
    means: ['name'],
    async notFound(name) {
      const near = mayPull && isShown(name) ? suggestKnownName(name) : undefined;
      return modelNotFound(name, near === undefined ? howToList : `${howToList}; ${near}`);
    },
    notPulled: (missing, refusal) => (hasErrorCode(refusal, 'hub_offline') ? missing : refusal),
  };
}

/**
 * The model that `name` means to callers of `policy`: the demo, or the first of the policy's meanings that exists.
 * Undefined: none. Errors: those of `findStoredModel` and, where a path may be meant, of reading files.
 */
export async function lookUp(
  name: string,
  modelsDir: string | undefined,
  { means }: Pick<NamePolicy, 'means'>,
): Promise<StoredModel | undefined> {
  const demo = isDemo(name) ? await describeArtifact(DEMO, demoDirectory()) : undefined;
  if (demo !== undefined) return demo;
  for (const meaning of means) {
    const found = await lookFor[meaning](name, modelsDir);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The same for a model that must exist. Errors: also `notFound` of the policy. */
export async function findModel(
  name: string,
  modelsDir: string | undefined,
  policy: NamePolicy = users,
): Promise<StoredModel> {
  const found = await lookUp(name, modelsDir, policy);
  if (found !== undefined) return found;
  throw await policy.notFound(name, modelsDir);
}

/** How each meaning of a name is looked for. */
const lookFor: Record<
  NamePolicy['means'][number],
  (name: string, modelsDir: string | undefined) => Promise<StoredModel | undefined>
> = {
  /** A name of the models directory never becomes a path: it may come from a request. */
  async name(name, modelsDir) {
    if (modelsDir === undefined || isAbsolute(name) || name === '' || name.length > MAX_NAME) return undefined;
    return findStoredModel(modelsDir, name);
  },
  path: (name) => look(name),
  async below(name, modelsDir) {
    const leadsOutside = isAbsolute(name) || name === '' || name.split(/[/\\]/).includes('..');
    return modelsDir === undefined || leadsOutside ? undefined : look(join(modelsDir, name));
  },
};

/** A file or a directory, whatever it holds. Undefined when nothing is at `path`. */
async function look(path: string): Promise<StoredModel | undefined> {
  const found = await stat(path).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG')) return undefined;
    return throwFileError('read', path)(error);
  });
  return found && { name: basename(resolve(path)), path, isFile: !found.isDirectory(), changedMs: found.mtimeMs };
}

/** The repository of a hub that `name` may mean, by its id or a known short name; undefined if it means none. */
export function toReference(name: string): HubReference | undefined {
  const known = readKnownName(name);
  if (known !== undefined) return { ...known, revision: undefined };
  const id = parseModelId(name);
  return id?.repo === undefined ? undefined : { repo: id.repo, quant: id.quant, revision: id.revision };
}

/** `model_not_found` for a name of a request; `advice`: the end of the sentence. */
export function modelNotFound(name: string, advice: string): AppError {
  const shown = isShown(name) ? `"${name}"` : `of that name of ${name.length} characters`;
  const details = { param: 'model', ...(isShown(name) && { model: name }) };
  return new AppError('model_not_found', `there is no model ${shown}; ${advice}`, details);
}

/** Whether a client's text is short and plain enough for a message. */
function isShown(name: string): boolean {
  return /^[\w.:@/-]{1,96}$/.test(name);
}

function withHint({ code, message, details }: AppError, hint: string): AppError {
  return new AppError(code, `${message}; ${hint}`, details);
}
