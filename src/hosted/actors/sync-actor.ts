import { Actor, actorKey, type ActorContext } from '../../actor/index.js';
import type { HostedBoard } from './board.js';

/** Keeps the models of connected gateways up to date. Its state is in the database: a restarted actor continues. */
export class SyncActor extends Actor {
  readonly #board: HostedBoard;

  constructor(board: HostedBoard) {
    super();
    this.#board = board;
  }

  override started({ signal, crash }: ActorContext): void {
    this.#board.connected.sync.run(signal).catch((error: unknown) => {
      if (!signal.aborted) crash(error);
    });
  }
}

/** The one that syncs. */
export const SYNC = actorKey<SyncActor>('sync');
