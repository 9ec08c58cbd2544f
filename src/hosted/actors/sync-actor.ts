import { Actor, actorKey, type ActorContext } from '../../actor/index.js';
import type { HostedBoard } from './board.js';

/** Keeps the models of connected gateways as they are. What it knows is in the database: one that is started again goes on. */
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
