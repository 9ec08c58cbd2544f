import { isReadable, summarize, type StoredEntry } from '../../../store/index.js';
import { isAppError, toErrorData, type ErrorData } from '../../../base/index.js';
import type { ListOutput } from '../outputs/models.js';
import { isSigned, signatureOf } from './signed-state.js';

/** A model as `list` has it, and why it cannot be read, if it cannot. */
export interface ModelListing {
  readonly entry: ListOutput[number];
  readonly problem: ErrorData | undefined;
}

/** What `list` says of a model, of which only the head is read. */
export async function describeListed(stored: StoredEntry): Promise<ModelListing> {
  const { name, changedMs } = stored;
  const modified = changedMs === undefined ? null : new Date(Math.floor(changedMs)).toISOString();
  const unknown = {
    name,
    repo: null,
    revision: null,
    quant: null,
    sizeBytes: 0,
    contextLength: null,
    modified,
    signed: null,
  };
  if (!isReadable(stored)) {
    const message = `${stored.path} cannot be read, or is a link to nowhere`;
    return { entry: unknown, problem: { code: 'artifact_not_found', message, details: {} } };
  }
  try {
    const { origin, quant, sizeBytes, contextLength = null } = await summarize(stored);
    const { repo = null, revision = null } = origin ?? {};
    const signature = await signatureOf(stored);
    const signed = isSigned(signature);
    const entry = { ...unknown, repo, revision, quant, sizeBytes, contextLength, signed };
    if (signature?.state !== 'tampered') return { entry, problem: undefined };
    return { entry, problem: { code: 'signature_invalid', message: signature.why, details: {} } };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { entry: unknown, problem: toErrorData(error) };
  }
}
