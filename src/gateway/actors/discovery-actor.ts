import { Actor, actorKey } from '../../actor/index.js';
import type { RuntimeConfig } from '../config/index.js';
import { createSemaphore } from '../discovery/semaphore.js';
import { verifyRuntime, type ProbeResult } from '../probes/probe-runtime.js';
import type { GatewaySharedState } from './gateway-shared-state.js';

/** Runtimes that are identified at once, each with some twenty GETs. */
const AT_ONCE = 4;

/** Identifies the server at the address of a runtime. */
export class DiscoveryActor extends Actor {
  readonly #shared: GatewaySharedState;
  readonly #gate = createSemaphore(AT_ONCE);

  constructor(shared: GatewaySharedState) {
    super();
    this.#shared = shared;
  }

  override started(): void {
    this.#shared.verify = (config) => this.verify(config);
  }

  /** Whether it is the server that its operator approved, see `verifyRuntime`. */
  async verify(config: RuntimeConfig): Promise<ProbeResult | undefined> {
    return this.#gate(() => verifyRuntime(config, this.#shared.setup.clock));
  }
}

/** The actor that scans. */
export const DISCOVERY = actorKey<DiscoveryActor>('discovery');
