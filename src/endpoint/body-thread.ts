import { type ErrorData, giveWayToAll, isAppError, keyOrdersOf, type KeyOrder, toErrorData } from '../base/index.js';
import { readJson, type ReadJson } from './read-json.js';

/** A body for the thread to read. */
export interface BodyJob {
  readonly bytes: Uint8Array;
  /** Fields whose JSON text the caller needs. */
  readonly sources: readonly string[];
}

/** The result of a job. `orders`: the key orders of objects in the value, which a structured clone loses. */
export type BodyResult = (ReadJson & { readonly orders: readonly KeyOrder[] }) | { readonly error: ErrorData };

// The threads of streams and of compute have priority over this one.
giveWayToAll();

/** The entry of the thread for large bodies. piscina calls the default or a named export. */
export function run({ bytes, sources }: BodyJob): BodyResult {
  try {
    const read = readJson(bytes, sources);
    return { ...read, orders: keyOrdersOf(read.value) };
  } catch (error) {
    // A bug keeps its error class, and its message stays out of logs.
    if (!isAppError(error)) throw error;
    return { error: toErrorData(error) };
  }
}
