/** The way from a name to the directory of an artifact: found here, or pulled; a GGUF file is imported. */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { artifactPlace, importGguf, type ImportOptions, type OnProgress } from '../../convert/index.js';
import { unsignedFile } from '../../signing/index.js';
import type { StoredModel } from '../../store/index.js';
import type { ImportMode } from '../engine-options.js';
import type { OnPullEvent } from '../pull/pull-events.js';
import type { HubReference } from '../pull/pull-model.js';
import type { Puller } from '../pull/puller.js';
import { findModel, lookUp, toReference, users, type NamePolicy } from './find-model.js';

/** Where models are looked for, and how one that is no artifact here becomes one. */
export interface ModelPlaces {
  /** Undefined: there is none. Then names mean the demo alone, and only paths lead elsewhere. */
  readonly modelsDir: string | undefined;
  /** Where converted models are kept; default: the user's cache directory. */
  readonly cacheDir?: string | undefined;
  /** How GGUF files are loaded. Default: `cache`. */
  readonly importGguf?: ImportMode | undefined;
  /** Only signed models will load. A file, which cannot carry a signature, is refused before it is imported. */
  readonly requireSigned?: boolean | undefined;
  /** Pulls models that are named and missing; undefined: none is. */
  readonly puller?: Puller | undefined;
}

/** How one caller waits: for an import with its progress and notices, and for a pull with its events. */
export interface LocateOptions extends Pick<ImportOptions, 'signal' | 'onProgress' | 'onNotice'> {
  /** Absent: a pull is reported to `onProgress`, as the phases `download` and `convert`. */
  readonly onEvent?: OnPullEvent | undefined;
}

/**
 * The artifact that `model` names for a user, by `toArtifactDirectory`. Errors: those of `findOrPull`, of `pullModel`,
 * of `importGguf`, `signature_missing`.
 */
export async function locateModel(model: string, places: ModelPlaces, how: LocateOptions = {}): Promise<string> {
  const { puller, modelsDir, cacheDir } = places;
  const { signal, onProgress, onNotice, onEvent = onProgress && toPullListener(onProgress) } = how;
  const pull = puller && (async (reference: HubReference) => (await puller.pull(reference, { signal, onEvent })).model);
  const found = await findOrPull(model, modelsDir, users, pull);
  return toArtifactDirectory(found, places, async (file) =>
    importGguf({ file, cacheDir, signal, onProgress, onNotice }),
  );
}

/** The same without pull and import: where a file's artifact is, or would be. Errors: those of `findModel` and hashing. */
export async function locateWithoutImport(model: string, places: ModelPlaces): Promise<string> {
  const { modelsDir, cacheDir, importGguf: mode } = places;
  return toArtifactDirectory(await findModel(model, modelsDir), { importGguf: mode }, async (file) =>
    artifactPlace({ file, cacheDir }),
  );
}

/**
 * The model that `name` means by `policy`. If it is missing and may be a repository of a hub, `pull` gets it. Errors:
 * those of `lookUp`; `notFound` and `notPulled` of the policy.
 */
export async function findOrPull(
  name: string,
  modelsDir: string | undefined,
  policy: NamePolicy,
  pull: ((reference: HubReference) => Promise<StoredModel>) | undefined,
): Promise<StoredModel> {
  const found = await lookUp(name, modelsDir, policy);
  if (found !== undefined) return found;
  const reference = toReference(name);
  const missing = await policy.notFound(name, modelsDir, pull !== undefined);
  if (pull === undefined || reference === undefined) throw missing;
  return pull(reference).catch((refusal: unknown) => {
    throw policy.notPulled(missing, refusal);
  });
}

/**
 * The directory of a model's artifact; `toArtifact` makes it of a file. It is the real path: two names of one directory
 * are one model. The file itself where it is packed into memory. Errors: those of `toArtifact`, `signature_missing`.
 */
export async function toArtifactDirectory(
  { path, isFile }: StoredModel,
  { importGguf: mode, requireSigned = false }: Pick<ModelPlaces, 'importGguf' | 'requireSigned'>,
  toArtifact: (file: string) => Promise<string>,
): Promise<string> {
  if (isFile && requireSigned) throw unsignedFile(path);
  const directory = isFile && mode !== 'memory' ? await toArtifact(path) : path;
  // If the directory vanished in between, opening it reports the error.
  return realpath(directory).catch(() => resolve(directory));
}

/** Weights are converted while they arrive; the phase `convert` is reported after the download. */
function toPullListener(onProgress: OnProgress): OnPullEvent {
  return (event) => {
    if (event.kind !== 'download' && event.kind !== 'convert') return;
    if (event.kind === 'convert' && event.isBeside) return;
    onProgress({ phase: event.kind, doneBytes: event.doneBytes, totalBytes: event.totalBytes });
  };
}
