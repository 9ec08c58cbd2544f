import { constants, setPriority } from 'node:os';
import { readJsonSources, type JsonSources } from '../api/index.js';
import { type ErrorData, isAppError, toErrorData } from '../base/index.js';
import { readKnown, type BodyKind } from './body-kinds.js';

/** One body to be read. */
export interface BodyJob {
  readonly kind: BodyKind;
  readonly bytes: Uint8Array;
}

/** What came of it. The sources go beside the value, which loses them on the way. */
export type BodyResult = { readonly value: object; readonly sources: JsonSources } | { readonly error: ErrorData };

// Streams come first, and those who compute for them. Linux gives each thread a priority of its own; elsewhere this would be
// the whole process's.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

/** What the thread for large bodies runs. piscina looks for the default or a named export. */
export function run({ kind, bytes }: BodyJob): BodyResult {
  try {
    const value = readKnown(kind, bytes);
    return { value, sources: readJsonSources(value) };
  } catch (error) {
    // A mistake of ours keeps its kind, and its message stays out of logs.
    if (!isAppError(error)) throw error;
    return { error: toErrorData(error) };
  }
}
