import { AppError } from '../../base/index.js';
import type { HostedContext } from './hosted-route.js';

/** Refuses a request where the node has as many under way as its file allows. Errors: `node_busy`. */
export function checkBusy({ table, live }: Pick<HostedContext, 'table' | 'live'>): void {
  const { streams } = table().config.limits;
  if (live.count < streams) return;
  throw new AppError('node_busy', `this node has ${streams} running requests, which is its limit; try again later`);
}
