import {
  describeArtifact,
  DEMO,
  listEntries,
  summarize,
  type StoredEntry,
  type StoredModel,
} from '../../../store/index.js';
import { isAppError, toErrorData, type ErrorData } from '../../../base/index.js';
import { demoDirectory } from '../../../library/index.js';
import type { ListOutput } from '../outputs/models.js';
import { isSigned, signatureOf } from './signed-state.js';

/** A model as `list` has it, and why it cannot be read, if it cannot. */
export interface ModelListing {
  readonly entry: ListOutput[number];
  readonly problem: ErrorData | undefined;
}

/** The demo, and what lies in a models directory; one that cannot be read is there too. Errors: those of listing. */
export async function listModelEntries(modelsDir: string): Promise<StoredEntry[]> {
  const demo = await describeArtifact(DEMO, demoDirectory());
  const stored = (await listEntries(modelsDir)).filter(({ name }) => name !== DEMO);
  return [...(demo === undefined ? [] : [demo]), ...stored];
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

function isReadable(stored: StoredEntry): stored is StoredModel {
  return stored.changedMs !== undefined;
}
