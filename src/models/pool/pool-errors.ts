import { AppError } from '../../base/index.js';
import type { MemoryBudget } from './memory-budget.js';

type Budget = Pick<MemoryBudget, 'totalBytes' | 'takenBytes'>;

/** The error for a model that exceeds the whole budget. */
export function modelTooLarge(id: string, neededBytes: number, budgetBytes: number): AppError {
  return new AppError(
    'out_of_memory',
    `the model ${id} needs ${neededBytes} bytes with a KV cache of one context, and the budget for all models is ${budgetBytes}; use a smaller quant, kvCache q8, a shorter maxContext (--ctx), fewer threads, or a larger memoryBudgetBytes (--memory-budget)`,
    { neededBytes, budgetBytes },
  );
}

/** The error for a model that found no room in time, because calls hold the loaded models. */
export function busy(
  model: { readonly id: string; readonly bytes: number },
  { totalBytes, takenBytes }: Budget,
  holders: readonly string[],
  waitedMs: number,
): AppError {
  const by = holders.length > 0 ? `calls hold ${holders.join(', ')}` : 'other models load';
  return new AppError(
    'models_busy',
    `the model ${model.id} needs ${model.bytes} bytes; of the budget of ${totalBytes}, ${takenBytes} are in use, ${by}, and too few were released within ${waitedMs} ms; try again later, or raise memoryBudgetBytes`,
    { neededBytes: model.bytes, budgetBytes: totalBytes, takenBytes },
  );
}

/** The error at the limit of calls that use or await one model. */
export function tooManyCalls(directory: string, limit: number): AppError {
  const message = `${limit} calls use the model in ${directory} or wait for it, which is the limit; try again later`;
  return new AppError('models_busy', message, { limit });
}

/** The error at the limit of concurrent loads. */
export function tooManyLoads(directory: string, limit: number): AppError {
  const message = `${limit} models are being loaded, which is the limit; load ${directory} later`;
  return new AppError('models_busy', message, { limit });
}

/** The error for calls and waiters of an unloaded model. */
export function unloaded(directory: string): AppError {
  return new AppError('engine_closed', `the model in ${directory} was unloaded; the next call loads it again`);
}
