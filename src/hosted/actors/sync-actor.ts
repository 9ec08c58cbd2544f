import { Actor, actorKey, type ActorContext } from '../../actor/index.js';
import type { NodeSharedState } from './node-shared-state.js';

/** Keeps the models of connected gateways up to date. Its state is in the database: a restarted actor continues. */
export class SyncActor extends Actor {
  readonly #shared: NodeSharedState;

  constructor(shared: NodeSharedState) {
    super();
    this.#shared = shared;
  }

  override started({ signal, crash }: ActorContext): void {
    this.#shared.connected.sync.run(signal).catch((error: unknown) => {
      if (!signal.aborted) crash(error);
    });
  }
}

/** The one that syncs. */
export const SYNC = actorKey<SyncActor>('sync');
