// The actors of a node as data: each actor needs the actors before it.
import type { SupervisorSpec } from '../../actor/index.js';
import type { NodeSharedState } from './node-shared-state.js';
import { CONTROL } from './control-actor.js';
import { LISTENER } from './listener-actor.js';
import { OPERATOR } from './operator-actor.js';
import { SYNC } from './sync-actor.js';

const SHUTDOWN_MS = 10_000;

/** The tree of a node. All are in its own thread: a larger machine runs several nodes on one database. */
export function toHostedTree(shared: NodeSharedState): SupervisorSpec {
  const place = { init: () => shared, restart: 'permanent', placement: 'inline', shutdownMs: SHUTDOWN_MS } as const;
  return {
    id: 'hosted',
    strategy: 'oneForOne',
    intensity: 5,
    periodMs: 60_000,
    backoffMs: { first: 100, max: 5_000 },
    children: [
      { ...place, id: SYNC.id, actor: { module: at('sync-actor'), name: 'SyncActor' } },
      { ...place, id: CONTROL.id, actor: { module: at('control-actor'), name: 'ControlActor' } },
      {
        ...place,
        id: LISTENER.id,
        actor: { module: at('listener-actor'), name: 'ListenerActor' },
        // A drain takes as long as the file says.
        callDeadlineMs: Infinity,
      },
      ...(shared.config.operator === undefined
        ? []
        : [{ ...place, id: OPERATOR.id, actor: { module: at('operator-actor'), name: 'OperatorActor' } }]),
    ],
  };
}

function at(file: string): URL {
  return new URL(`./${file}.js`, import.meta.url);
}
