import type { VNode } from 'preact';
import { ActorTree, Badge, Card, Facts, LoadedView, Note, useKit, useLoad } from '../../kit/index.js';
import type { Health } from '../api/operator-api.js';
import { useOperator } from '../operator-state.js';

/** Refresh interval in milliseconds. */
const LOOK_MS = 3_000;

/** The health of this node: its database, its upstreams and its actors. */
export function HealthSection(): VNode {
  const { api } = useOperator();
  const loaded = useLoad(({ signal }) => api.run<Health>('health.show', {}, signal), [], LOOK_MS);
  return (
    <div class="measure">
      <LoadedView loaded={loaded} lines={10}>
        {(health) => (
          <>
            <NodeState health={health} />
            <div class="cards">
              <NodeFacts health={health} />
              <Upstreams health={health} />
            </div>
            {health.node !== null && <ActorTree tree={health.node.tree} />}
          </>
        )}
      </LoadedView>
    </div>
  );
}

function NodeState({ health: { node } }: { readonly health: Health }): VNode {
  const { formats } = useKit();
  if (node === null) return <Note tone="warn">No node runs.</Note>;
  return (
    <>
      {!node.database_ready && <Note tone="bad">The database has not answered for a minute.</Note>}
      {node.config_refused !== null && <Note tone="bad">hosted.yaml is refused: {node.config_refused}</Note>}
      {node.outbox_depth > 0 && (
        <Note tone="warn">{formats.counted(node.outbox_depth, 'settlement')} wait on the disk for the database.</Note>
      )}
    </>
  );
}

function NodeFacts({ health: { node, nodes, requests } }: { readonly health: Health }): VNode {
  const { formats } = useKit();
  return (
    <Card title="Node">
      <Facts
        facts={[
          ['Nodes that live', formats.count(nodes)],
          ['Up for', node === null ? null : formats.duration(node.uptime_ms)],
          ['Database', node === null ? null : node.database_ready ? 'ready' : 'away'],
          ['Settlements on the disk', node === null ? null : formats.count(node.outbox_depth)],
          ['Providers', node === null ? null : formats.count(node.providers)],
          [
            'Connected gateways',
            node === null
              ? null
              : `${formats.count(node.gateways)}, ${formats.count(node.stale_gateways)} not read lately`,
          ],
          ['Requests under way', formats.count(requests.running)],
          ['Settled since the start', formats.count(requests.settled)],
          ['Not charged since the start', formats.count(requests.voided)],
          ['Charged less than used', formats.count(requests.uncharged)],
        ]}
      />
    </Card>
  );
}

function Upstreams({ health: { node } }: { readonly health: Health }): VNode {
  const { formats } = useKit();
  const upstreams = node?.upstreams ?? [];
  return (
    <Card title="Providers and gateways in use">
      {upstreams.length === 0 && <p class="muted">No request has gone to any of them lately.</p>}
      <ul class="rows">
        {upstreams.map(({ id, breaker, running, queued, closed_models: closed }) => (
          <li key={id}>
            <div>
              <code>{id}</code>{' '}
              <Badge tone={breaker === 'open' ? 'bad' : closed.length > 0 ? 'warn' : 'good'}>
                {breaker === 'open' ? 'not asked now' : closed.length > 0 ? 'some models not asked now' : 'asked'}
              </Badge>
              <div class="hint">
                {formats.count(running)} under way, {formats.count(queued)} waiting
                {closed.length > 0 && ` · ${closed.join(', ')}`}
              </div>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
