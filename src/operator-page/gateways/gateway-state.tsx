import type { VNode } from 'preact';
import { Badge } from '../../page-kit/index.js';
import type { Gateway } from '../api/operator-api.js';

/** Whether a gateway is offered, and whether it can be asked. */
export function GatewayState({ gateway }: { readonly gateway: Gateway }): VNode {
  const { state, stale_since: stale, synced_at: synced } = gateway;
  if (state === 'disabled') return <Badge tone="idle">disabled</Badge>;
  if (stale !== null) return <Badge tone="bad">{synced === null ? 'never read' : 'stale'}</Badge>;
  return synced === null ? <Badge tone="idle">not asked yet</Badge> : <Badge tone="good">in step</Badge>;
}
