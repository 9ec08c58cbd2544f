import type { Completion } from '../completion/index.js';
import type { OpenModel } from './open-model.js';
import type { ModelLease } from './pooled-model.js';

/** What a model answers with, and the right to use it. */
export interface HeldCompletion extends Disposable {
  readonly completion: Completion;
}

/** The completion of a model, which is held until this is disposed of. Errors: `tokenizer_missing`, and the lease is given back. */
export function holdCompletion(lease: ModelLease<OpenModel>): HeldCompletion {
  try {
    const { completion } = lease.model;
    return { completion, [Symbol.dispose]: () => lease[Symbol.dispose]() };
  } catch (error) {
    lease[Symbol.dispose]();
    throw error;
  }
}
