import type { CompletionCallOptions } from '../completion/index.js';
import type { OpenModel } from '../pool/index.js';
import { noteUsage } from './engine-record.js';
import type { EngineCall } from './engine-route.js';

/**
 * How a completion is called for a request: cancelled with it, in turn with those of clients at other addresses, counted in
 * its record, named as it named the model.
 */
export type CompletionCall = CompletionCallOptions & { readonly signal: AbortSignal };

/** Runs `work` with the model of that name held. */
export async function withModel<T>(
  id: string,
  { request: { signal, client }, context, record }: EngineCall,
  work: (model: OpenModel, call: CompletionCall) => Promise<T>,
): Promise<T> {
  using lease = await context.library.open(id, signal);
  record.model = id;
  return await work(lease.model, { signal, caller: client, modelName: id });
}

/**
 * Chunks of the model of that name, which is held until the last; the model is loaded when the first is asked for. The
 * request's signal ends it, and nothing else does while it waits. `isToken` says of a chunk whether it has anything of the
 * answer: the first such one is timed.
 */
export function streamWithModel<T>(
  id: string,
  { request: { signal, client }, context, record }: EngineCall,
  stream: (model: OpenModel, call: CompletionCall) => AsyncGenerator<T, void>,
  isToken: (chunk: T) => boolean,
): AsyncGenerator<T, void> {
  return timedChunks({ id, signal, client, context, record, stream, isToken });
}

interface TimedChunks<T> extends Pick<EngineCall, 'context' | 'record'> {
  readonly id: string;
  readonly signal: AbortSignal;
  readonly client: string;
  readonly stream: (model: OpenModel, call: CompletionCall) => AsyncGenerator<T, void>;
  readonly isToken: (chunk: T) => boolean;
}

/** Apart from `streamWithModel`, whose arguments have the body of the request: a generator keeps what it was given. */
async function* timedChunks<T>(options: TimedChunks<T>): AsyncGenerator<T, void> {
  const { id, signal, client, context, record, stream, isToken } = options;
  using lease = await context.library.open(id, signal);
  record.model = id;
  const call: CompletionCall = { signal, caller: client, modelName: id, onUsage: (usage) => noteUsage(record, usage) };
  for await (const chunk of stream(lease.model, call)) {
    if (record.firstTokenMs === undefined && isToken(chunk)) record.firstTokenMs = context.clock.nowMs();
    yield chunk;
  }
}
