import type { VNode } from 'preact';
import { Badge } from '../../kit/index.js';
import { gatewayStateText } from '../../../words/index.js';
import type { Gateway } from '../api/operator-api.js';

/** Whether a gateway is offered, and whether it is reachable. */
export function GatewayState({ gateway }: { readonly gateway: Gateway }): VNode {
  const { state, stale_since: stale, synced_at: synced } = gateway;
  const tone = state === 'disabled' ? 'idle' : stale !== null ? 'bad' : synced === null ? 'idle' : 'good';
  return <Badge tone={tone}>{gatewayStateText(gateway)}</Badge>;
}
