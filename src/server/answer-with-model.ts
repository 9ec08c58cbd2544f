import type { OpenModel } from '../models/index.js';
import type { EngineCall } from './engine-route.js';

/** Runs `work` with the model of that name held, in turn with the requests of clients at other addresses. `keepAliveMs`: how long it stays behind its last call; absent: as before. */
export async function withModel<T>(
  id: string,
  { request: { signal, client }, context, record }: EngineCall,
  work: (model: OpenModel, call: { readonly signal: AbortSignal; readonly caller: string }) => Promise<T>,
  keepAliveMs?: number,
): Promise<T> {
  using lease = await context.library.open(id, signal);
  record.model = context.library.listedId(id);
  if (keepAliveMs !== undefined) lease.keepFor(keepAliveMs);
  return await work(lease.model, { signal, caller: client });
}
