import { heading, renderListener, sample } from '../../endpoint/index.js';
import type { ListenerStats } from '../../http/index.js';
import type { RoutingTable } from '../routing/routing-table.js';

/** The state of a relay now, in the text format of Prometheus. */
export function renderRelayState(table: RoutingTable, running: number, stats: ListenerStats): string {
  const targets = Array.from(table.models.values()).flatMap(({ id, group }) =>
    group
      .states()
      .map((target) => sample('troupe_gateway_target_running', { model: id, target: target.id }, target.running)),
  );
  return [
    heading('troupe_gateway_target_running', 'gauge', 'Requests under way, by model and target.'),
    ...targets,
    heading('troupe_gateway_relayed_running', 'gauge', 'Relayed requests under way.'),
    sample('troupe_gateway_relayed_running', {}, running),
    renderListener('troupe_gateway', stats),
  ].join('');
}
