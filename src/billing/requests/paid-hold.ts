import { codeOf } from '../../base/index.js';
import { toCount } from '../../metering/index.js';
import type { PaidOutcome } from '../billing.js';
import type { AdmissionRequest } from '../books/admission.js';
import type { HeldRequest } from '../books/held-request.js';
import { toSettlement } from '../books/settlement.js';
import type { Ticket } from '../limits/rate-limits.js';
import type { AdmissionOptions } from './admission-options.js';

/**
 * Tokens that a stream may continue by while the database is away. They are charged later, as far as the account goes.
 */
const TRUSTED_TOKENS = 4_096;
/** Each time money came back, and other requests were quicker. */
const MAX_TRIES = 50;

/** Opens the hold of an admitted request, which can be extended and settled. */
export function openPaidHold(
  held: HeldRequest,
  admission: AdmissionRequest,
  ticket: Ticket,
  options: AdmissionOptions,
) {
  const { committer, allowances, recall, clock, open, sliceTokens } = options;
  const startedMs = clock.nowMs();
  const leastAhead = held.grantedTokens < admission.mostTokens ? sliceTokens / 2 : 0;
  let trusted = 0;

  const extendBy = async (wantedTokens: number): Promise<void> => {
    if (await allowances.extend(held, wantedTokens)) return;
    const { budgets } = admission;
    const result = await committer.run({ kind: 'extend', request: held, wantedTokens, budgets });
    if (result.kind === 'granted') Object.assign(held, result.granted);
  };
  /** The answer would be cut with fewer than `needed`: then all is brought back that nodes have of the account. */
  const extendFromAll = async (needed: number, wantedTokens: number): Promise<void> => {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      await extendBy(wantedTokens);
      if (held.grantedTokens >= needed || !(await recall.bringBack(held.accountId))) return;
    }
  };

  return {
    requestId: held.requestId,
    grantedTokens: held.grantedTokens,
    leastAhead,
    async extend(completionTokens: number): Promise<number> {
      const before = held.grantedTokens;
      if (completionTokens + leastAhead <= before + trusted) return before + trusted;
      try {
        // A request longer than the longest stream soon loses its hold: it is not extended, and is cut.
        if (clock.nowMs() - startedMs > options.maxStreamMs) return before + trusted;
        const ahead = Math.min(completionTokens + sliceTokens, admission.mostTokens);
        // A provider may count more than its bound: the hold then reserves the counted tokens.
        await extendFromAll(completionTokens, Math.max(completionTokens, ahead));
        trusted = 0;
      } catch (error) {
        if (codeOf(error) !== 'database_unavailable' || completionTokens > before + TRUSTED_TOKENS) throw error;
        trusted = TRUSTED_TOKENS;
      }
      if (held.grantedTokens > before) ticket.addTokens(held.grantedTokens - before);
      return held.grantedTokens + trusted;
    },
    async settle(outcome: PaidOutcome): Promise<void> {
      open.delete(held.requestId);
      const settlement = toSettlement(held, outcome, options.now());
      ticket.end(toCount(outcome.promptTokens) + toCount(outcome.completionTokens));
      allowances.release(held, settlement.costMicro);
      await options.settle(settlement);
      allowances.finish(held);
    },
  };
}
