import type { OpenModel } from '../pool/index.js';
import type { RouteCall } from './route.js';

/** Runs `work` with the model of that name held, in turn with the requests of clients at other addresses. */
export async function withModel<T>(
  id: string,
  { request: { signal, client }, context, record }: RouteCall,
  work: (model: OpenModel, call: { readonly signal: AbortSignal; readonly caller: string }) => Promise<T>,
): Promise<T> {
  using lease = await context.library.open(id, signal);
  record.model = id;
  return await work(lease.model, { signal, caller: client });
}
