import type { Completion } from '../completion/index.js';
import type { OpenModel } from './open-model.js';
import type { ModelLease } from './pooled-model.js';

/** The completion of a model, with the lease that keeps the model loaded. */
export interface HeldCompletion extends Disposable {
  readonly completion: Completion;
}

/**
 * Takes the completion of a leased model; disposing of the result ends the lease. Errors: `tokenizer_missing`, and the lease is
 * given back.
 */
export function holdCompletion(lease: ModelLease<OpenModel>): HeldCompletion {
  try {
    const { completion } = lease.model;
    return { completion, [Symbol.dispose]: () => lease[Symbol.dispose]() };
  } catch (error) {
    lease[Symbol.dispose]();
    throw error;
  }
}
