import { Actor, actorKey, type ActorContext } from '../../actor/index.js';
import { sleep } from '../../base/index.js';
import type { ServerProof } from '../../relay/index.js';
import type { RuntimeConfig } from '../config/index.js';
import { probeRuntime, type ProbeResult } from '../probes/probe-runtime.js';
import type { RuntimeState } from '../serving/gateway-state.js';
import type { GatewaySharedState } from './gateway-shared-state.js';

/** Milliseconds between two probes of a runtime. Requests notice failures in between by themselves. */
const PROBE_MS = 10_000;
/** Probes in a row that run out of time before a runtime counts as away: one that is busy with answers may be slow. */
const LATE_PROBES = 3;
/** Runtimes that are asked at once. */
const AT_ONCE = 16;

/** The last result for a runtime. */
interface Known {
  /** The runtime as the file described it. */
  readonly config: string;
  isVerified: boolean;
}

/** Probes whether runtimes answer, and whether they are still the servers that their operator approved. */
export class ProbeActor extends Actor {
  readonly #shared: GatewaySharedState;
  readonly #known = new Map<string, Known>();
  #round: Promise<void> | undefined;

  constructor(shared: GatewaySharedState) {
    super();
    this.#shared = shared;
  }

  override async started({ signal, crash }: ActorContext): Promise<void> {
    await this.probe();
    void this.#loop(signal).catch((error: unknown) => {
      if (!signal.aborted) crash(error);
    });
  }

  /** Asks all of them now, or waits for the round that is under way. */
  async probe(): Promise<void> {
    this.#round ??= this.#probeAll().finally(() => (this.#round = undefined));
    await this.#round;
  }

  /** Probes runtimes that are new or changed in the file and have to be proven, before they get a request. */
  async probeChanged(): Promise<void> {
    const { runtimes } = this.#shared.config;
    const isChanged = (config: RuntimeConfig): boolean => this.#known.get(config.id)?.config !== JSON.stringify(config);
    await this.#probeEach(runtimes.filter((config) => config.fingerprint !== undefined && isChanged(config)));
  }

  /** Identifies the server at the address of a runtime now: a new connection to it waits for the result. */
  async prove(id: string): Promise<ServerProof> {
    const config = this.#shared.config.runtimes.find((runtime) => runtime.id === id);
    const verified = config && (await this.#shared.verify(config));
    if (config === undefined || verified === undefined) return 'unknown';
    if (verified.isHealthy) return 'same';
    const known = this.#known.get(id);
    if (known?.config === JSON.stringify(config)) known.isVerified = false;
    this.#tell(config, verified);
    return verified.trouble === 'fingerprint_changed' ? 'other' : 'unknown';
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { clock, probeMs = PROBE_MS } = this.#shared.setup;
    while (!signal.aborted) {
      await sleep(probeMs, clock, signal);
      await this.probe();
    }
  }

  async #probeAll(): Promise<void> {
    const { runtimes } = this.#shared.config;
    const ids = new Set(runtimes.map(({ id }) => id));
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
    for (const id of this.#shared.health.keys()) if (!ids.has(id)) this.#shared.health.delete(id);
    await this.#probeEach(runtimes);
  }

  async #probeEach(runtimes: readonly RuntimeConfig[]): Promise<void> {
    const left = [...runtimes];
    const work = async (): Promise<void> => {
      for (let config = left.shift(); config !== undefined; config = left.shift()) await this.#probeOne(config);
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, runtimes.length) }, work));
  }

  async #probeOne(config: RuntimeConfig): Promise<void> {
    const { clock } = this.#shared.setup;
    const written = JSON.stringify(config);
    const before = this.#known.get(config.id);
    const known = before?.config === written ? before : { config: written, isVerified: false };
    this.#known.set(config.id, known);
    let answered = await probeRuntime(config, clock);
    const wasHealthy = this.#shared.health.get(config.id)?.isHealthy === true;
    for (let probes = 1; probes < LATE_PROBES && wasHealthy && isLate(answered); probes++) {
      answered = await probeRuntime(config, clock);
    }
    if (answered === undefined) return;
    // A server that was away may return as a different server.
    if (!answered.isHealthy) known.isVerified = false;
    const result = answered.isHealthy ? await this.#verify(config, known) : answered;
    this.#tell(config, result);
  }

  async #verify(config: RuntimeConfig, known: Known): Promise<ProbeResult> {
    const verified = await this.#shared.verify(config);
    if (verified?.isHealthy === true) {
      known.isVerified = true;
      return verified;
    }
    if (verified !== undefined) {
      known.isVerified = false;
      return verified;
    }
    if (known.isVerified) return { isHealthy: true };
    const reason = 'it has not answered yet, so its fingerprint is unknown';
    return { isHealthy: false, trouble: 'unverified', reason };
  }

  #tell(config: RuntimeConfig, result: ProbeResult): void {
    const { health, setup, audit } = this.#shared;
    // The file changed during the probe: the result may be of another runtime.
    if (!this.#shared.config.runtimes.includes(config)) return;
    const { id, kind } = config;
    const state: RuntimeState = {
      id,
      kind,
      isHealthy: result.isHealthy,
      trouble: result.isHealthy ? undefined : result.trouble,
      reason: result.isHealthy ? undefined : result.reason,
    };
    const before = health.get(id);
    health.set(id, state);
    this.#shared.onHealth(state);
    if (before?.isHealthy === state.isHealthy && before.trouble === state.trouble) return;
    setup.log({
      event: 'runtime',
      runtime: id,
      healthy: state.isHealthy,
      trouble: state.trouble,
      reason: state.reason,
    });
    if (state.trouble !== 'fingerprint_changed') return;
    audit({ action: 'runtime.refuse', target: `runtime:${id}`, outcome: 'refused', reason: state.reason ?? '' });
  }
}

function isLate(result: ProbeResult | undefined): boolean {
  return result?.isHealthy === false && result.isLate === true;
}

/** The one prober. */
export const PROBES = actorKey<ProbeActor>('probes');
