import type { HostedRoute } from '../hosted-route.js';
import { accountPage, accountPageFile } from './account-page.js';
import { balance } from './balance.js';
import { catalog } from './catalog.js';
import { generation } from './generation.js';
import { generations } from './generations.js';
import { health } from './health.js';
import { keys } from './keys.js';
import { metrics } from './metrics.js';
import { model } from './model.js';
import { models } from './models.js';
import { createPlainRoutes } from './plain-relay.js';
import { ready } from './ready.js';
import { rotateKey } from './rotate-key.js';
import { statement } from './statement.js';
import { createRelayRoute, type RelayRouteOptions } from './relay.js';
import { traffic } from './traffic.js';
import { usage } from './usage.js';

/** Endpoints that are not relayed. */
const own = {
  health,
  ready,
  metrics,
  models,
  model,
  catalog,
  balance,
  usage,
  traffic,
  statement,
  generation,
  generations,
  keys,
  rotateKey,
  accountPage,
  accountPageFile,
} as const satisfies Record<string, HostedRoute>;

/** Every endpoint, under each base path. The route of providers and gateways is last: it takes all other paths. */
export function createRoutes(options: Omit<RelayRouteOptions, 'known'>): readonly HostedRoute[] {
  const named = [...createPlainRoutes(options), ...Object.values<HostedRoute>(own)];
  const known = new Map(named.map(({ path, method }) => [path, method === 'GET' ? 'GET, HEAD' : method] as const));
  const placed = options.basePaths.flatMap((base) => named.map((route) => ({ ...route, path: base + route.path })));
  return [...placed, createRelayRoute({ ...options, known })];
}
