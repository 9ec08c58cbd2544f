import { abortableStream, type CompletionCallOptions, type OpenModel } from '../completion/index.js';
import { noteUsage } from './request-record.js';
import type { RouteCall } from './route.js';

/** How a completion is called for a request: cancelled with it, counted in its record, named as it named the model. */
export type CompletionCall = CompletionCallOptions & { readonly signal: AbortSignal };

/** Runs `work` with the model of that name held. */
export async function withModel<T>(
  id: string,
  { request, context, record }: RouteCall,
  work: (model: OpenModel, call: CompletionCall) => Promise<T>,
): Promise<T> {
  using lease = await context.library.open(id, request.signal);
  record.model = id;
  return await work(lease.model, { signal: request.signal, modelName: id });
}

/**
 * Chunks of the model of that name, which is held until the last; the model is loaded when the first is asked for. `isToken`
 * says of a chunk whether it has anything of the answer: the first such one is timed.
 */
export function streamWithModel<T>(
  id: string,
  { request, context, record }: RouteCall,
  stream: (model: OpenModel, call: CompletionCall) => AsyncGenerator<T, void>,
  isToken: (chunk: T) => boolean,
): AsyncGenerator<T, void> {
  return abortableStream(async function* (signal) {
    using lease = await context.library.open(id, signal);
    record.model = id;
    const call: CompletionCall = { signal, modelName: id, onUsage: (usage) => noteUsage(record, usage) };
    for await (const chunk of stream(lease.model, call)) {
      if (record.firstTokenMs === undefined && isToken(chunk)) record.firstTokenMs = context.clock.nowMs();
      yield chunk;
    }
  }, request.signal);
}
