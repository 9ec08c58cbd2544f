import { Actor, actorKey } from '../../actor/index.js';
import type { RuntimeConfig } from '../config/index.js';
import { createGate } from '../discovery/gate.js';
import { verifyRuntime, type ProbeResult } from '../probes/probe-runtime.js';
import type { Board } from './board.js';

/** Runtimes that are asked at once what they are, each with some twenty GETs. */
const AT_ONCE = 4;

/** Finds out what listens at the address of a runtime. */
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

  /** Whether it is what its operator approved, see `verifyRuntime`. */
  async verify(config: RuntimeConfig): Promise<ProbeResult | undefined> {
    return this.#gate(() => verifyRuntime(config, this.#board.setup.clock));
  }
}

/** The one that looks. */
export const DISCOVERY = actorKey<DiscoveryActor>('discovery');
