import { assert, present } from '../../base/index.js';
import type { Hold } from '../holds/hold.js';
import type { AdmitRequest, Outcome } from '../ledger/hold-record.js';
import type { Meter } from '../meter.js';
import type { AdmissionGrant } from './meter-link.js';

interface RemoteHold {
  readonly hold: Hold;
  readonly promptTokensBound: number;
  began: boolean;
}

/** The holds of callers that name them by their requests' ids. */
export class RemoteHolds {
  readonly #meter: Meter;
  readonly #holds = new Map<string, RemoteHold>();
  #isGone = false;

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  /** As `Meter.admit`. */
  async admit(request: AdmitRequest): Promise<AdmissionGrant> {
    const { requestId, keyId, promptTokensBound } = request;
    assert(!this.#holds.has(requestId), 'the ids of requests under way differ');
    const hold = await this.#meter.admit(request);
    const remote = { hold, promptTokensBound, began: false };
    // The caller died while this was written.
    if (this.#isGone) void hold.settle(abandoned(remote));
    else this.#holds.set(requestId, remote);
    return { grantedTokens: hold.grantedTokens, rates: this.#meter.limitState(keyId) };
  }

  /** As `Hold.extend`. */
  async extend(requestId: string, completionTokens: number): Promise<number> {
    const remote = present(this.#holds.get(requestId), 'the hold is open');
    remote.began = true;
    return remote.hold.extend(completionTokens);
  }

  /** As `Hold.settle`. */
  async settle(requestId: string, outcome: Outcome): Promise<void> {
    const { hold } = present(this.#holds.get(requestId), 'the hold is open');
    this.#holds.delete(requestId);
    await hold.settle(outcome);
  }

  /** Ends open and opening holds by the rule of a crash: the caller died. */
  abandon(): void {
    this.#isGone = true;
    for (const remote of this.#holds.values()) void remote.hold.settle(abandoned(remote));
    this.#holds.clear();
  }
}

/** A hold whose answer began is charged its reservation, as an estimate; any other costs nothing. */
function abandoned({ hold, promptTokensBound, began }: RemoteHold): Outcome {
  const [promptTokens, completionTokens] = began ? [promptTokensBound, hold.grantedTokens] : [0, 0];
  return { promptTokens, completionTokens, cachedTokens: 0, reasoningTokens: 0, isEstimated: true, began };
}
