import { type ErrorData, giveWayToAll, isAppError, keyOrdersOf, type KeyOrder, toErrorData } from '../base/index.js';
import { readJson, type ReadJson } from './read-json.js';

/** One body to be read. */
export interface BodyJob {
  readonly bytes: Uint8Array;
  /** Fields whose text is wanted. */
  readonly sources: readonly string[];
}

/** What came of it. `orders`: those of objects of the value, which a clone loses. */
export type BodyResult = (ReadJson & { readonly orders: readonly KeyOrder[] }) | { readonly error: ErrorData };

// Streams come first, and those who compute for them.
giveWayToAll();

/** The code of the thread for large bodies. piscina looks for the default or a named export. */
export function run({ bytes, sources }: BodyJob): BodyResult {
  try {
    const read = readJson(bytes, sources);
    return { ...read, orders: keyOrdersOf(read.value) };
  } catch (error) {
    // A mistake of ours keeps its kind, and its message stays out of logs.
    if (!isAppError(error)) throw error;
    return { error: toErrorData(error) };
  }
}
