import { Type } from '../../schema/index.js';
import { operation } from './operation.js';

/**
 * The state of the node of this machine: its database, its upstreams, its actors. Without a node, only the state of
 * billing.
 */
export const showHealth = operation({
  params: Type.Object({}),
  async run({ billing, node }) {
    const { open, settled, voided, late, uncharged, nodes } = billing.counts;
    const requests = { running: open, settled, voided, settled_late: late, uncharged };
    if (node === undefined) return { running: false, nodes, requests, node: null };
    const state = await node.state();
    return {
      running: true,
      nodes,
      requests,
      node: {
        uptime_ms: Math.round(state.uptimeMs),
        database_ready: state.isReady,
        outbox_depth: state.outboxDepth,
        config_refused: state.refusedConfig ?? null,
        providers: state.providers,
        gateways: state.gateways,
        stale_gateways: state.staleGateways,
        upstreams: node.upstreams().map(({ id, running, queued, breaker, closedModels }) => {
          return { id, running, queued, breaker, closed_models: closedModels };
        }),
        tree: state.tree,
      },
    };
  },
});
