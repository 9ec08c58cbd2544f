import { Actor, actorKey } from '../../actor/index.js';
import type { RuntimeConfig } from '../config/index.js';
import { createGate } from '../discovery/gate.js';
import { verifyRuntime, type ProbeResult } from '../probes/probe-runtime.js';
import type { Board } from './board.js';

/** Runtimes that are identified at once, each with some twenty GETs. */
const AT_ONCE = 4;

/** Identifies the server at the address of a runtime. */
export class DiscoveryActor extends Actor {
  readonly #board: Board;
  readonly #gate = createGate(AT_ONCE);

  constructor(board: Board) {
    super();
    this.#board = board;
  }

  override started(): void {
    this.#board.verify = (config) => this.verify(config);
  }

  /** Whether it is the server that its operator approved, see `verifyRuntime`. */
  async verify(config: RuntimeConfig): Promise<ProbeResult | undefined> {
    return this.#gate(() => verifyRuntime(config, this.#board.setup.clock));
  }
}

/** The one that looks. */
export const DISCOVERY = actorKey<DiscoveryActor>('discovery');
