import { Actor, actorKey } from '../../actor/index.js';
import { toKeyDefinitions } from '../routing/key-definitions.js';
import type { Board } from './board.js';

/**
 * Brings the keys of the file into the ledger. The ledger itself lives outside of its actor, as the truth does: an instance
 * that is started again finds databases and reservations as they were.
 */
export class LedgerActor extends Actor {
  readonly #board: Board;

  constructor(board: Board) {
    super();
    this.#board = board;
  }

  override async started(): Promise<void> {
    await this.reload();
  }

  /** Takes up the keys of a changed file. */
  async reload(): Promise<void> {
    this.#board.meter.setFileKeys(toKeyDefinitions(this.#board.config.virtualKeys));
  }
}

/** The one ledger. */
export const LEDGER = actorKey<LedgerActor>('ledger');
