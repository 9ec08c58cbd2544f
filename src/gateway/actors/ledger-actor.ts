import { Actor, actorKey } from '../../actor/index.js';
import { toKeyDefinitions } from '../routing/key-definitions.js';
import type { GatewaySharedState } from './gateway-shared-state.js';

/**
 * Brings the keys of the file into the ledger. The ledger itself lives outside of its actor, as the truth does: an instance
 * that is started again finds databases and reservations as they were.
 */
export class LedgerActor extends Actor {
  readonly #shared: GatewaySharedState;

  constructor(shared: GatewaySharedState) {
    super();
    this.#shared = shared;
  }

  override async started(): Promise<void> {
    await this.reload();
  }

  /** Takes up the keys of a changed file. */
  async reload(): Promise<void> {
    this.#shared.meter.setFileKeys(toKeyDefinitions(this.#shared.config.virtualKeys));
  }
}

/** The one ledger. */
export const LEDGER = actorKey<LedgerActor>('ledger');
