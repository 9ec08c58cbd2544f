import { AppError, hasErrorCode, isAppError } from '../base/index.js';
import type { OnProgress } from '../convert/index.js';
import type { HubReference, OnPullEvent, Puller } from '../pull/index.js';
import { parseModelId, readKnownName, suggestKnownName } from '../store/index.js';
import { findModel, type FoundModel } from './find-model.js';

/** How a model that is not here is pulled. */
export interface PullOnUse {
  /** Undefined: nothing is pulled. */
  readonly puller?: Puller | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: OnPullEvent | undefined;
  /** Called with the phases `download` and `convert` where the caller does not take the events. */
  readonly onProgress?: OnProgress | undefined;
}

/**
 * The model that `model` names, by `findModel`. If it is missing here and looks like the id of a repository, it is
 * pulled. Errors: those of `findModel` and of `pullModel`.
 */
export async function findOrPull(model: string, modelsDir: string | undefined, how: PullOnUse): Promise<FoundModel> {
  const { puller, signal, onEvent, onProgress } = how;
  try {
    return await findModel(model, modelsDir);
  } catch (error) {
    const reference = toReference(model);
    if (!isAppError(error) || error.code !== 'artifact_not_found') throw error;
    if (reference === undefined) throw puller === undefined ? error : withSuggestion(error, model);
    if (puller === undefined) throw withHint(error, 'pulling it from a hub is turned off');
    const tell = onEvent ?? (onProgress && ((event) => tellProgress(event, onProgress)));
    const { model: pulled } = await puller.pull(reference, { signal, onEvent: tell }).catch((refusal: unknown) => {
      throw explain(error, refusal);
    });
    return pulled;
  }
}

/** The repository of a hub that `model` may name, by its id or a known short name; undefined if it names none. */
export function toReference(model: string): HubReference | undefined {
  const known = readKnownName(model);
  if (known !== undefined) return { ...known, revision: undefined };
  const id = parseModelId(model);
  return id?.repo === undefined ? undefined : { repo: id.repo, quant: id.quant, revision: id.revision };
}

/**
 * Reports a pull as phases of a load. Weights are converted while they arrive; the phase `convert` is reported after the
 * download.
 */
function tellProgress(event: Parameters<OnPullEvent>[0], onProgress: OnProgress): void {
  if (event.kind !== 'download' && event.kind !== 'convert') return;
  if (event.kind === 'convert' && event.isBeside) return;
  onProgress({ phase: event.kind, doneBytes: event.doneBytes, totalBytes: event.totalBytes });
}

/** The user may have typed a path, or the name of a local model. */
function explain(notHere: AppError, refusal: unknown): unknown {
  if (hasErrorCode(refusal, 'hub_offline')) return withHint(notHere, 'HF_HUB_OFFLINE forbids to pull it from a hub');
  if (!isAppError(refusal) || refusal.code !== 'hub_repository_missing') return refusal;
  return new AppError(refusal.code, `${notHere.message}; and ${refusal.message}`, refusal.details, { cause: refusal });
}

/** A name that is nearly one that would be pulled. */
function withSuggestion(error: AppError, model: string): AppError {
  const suggestion = suggestKnownName(model);
  return suggestion === undefined ? error : withHint(error, `of names that are pulled from a hub: ${suggestion}`);
}

function withHint({ code, message, details }: AppError, hint: string): AppError {
  return new AppError(code, `${message}; ${hint}`, details);
}
