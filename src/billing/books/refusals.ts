import { AppError } from '../../base/index.js';
import { boundMicro } from '../prices/cost.js';
import type { OpenBudget } from './admission.js';
import type { AccountRow, WindowRow } from './rows.js';
import type { HeldRequest } from './held-request.js';

/** The account cannot pay the least that a request may cost. */
export function insufficientCredit(account: AccountRow, request: HeldRequest, leastTokens: number): AppError {
  const { promptTokens, images, audios, provider, model } = request;
  const used = { promptTokens, cachedTokens: 0, completionTokens: leastTokens, images, audios };
  const least = boundMicro(request.price, used);
  const message = `this request to ${provider}/${model} may cost ${least} micro-${account.currency}, and the account has ${account.availableMicro} that no other request holds (${account.heldMicro} are held); add credit, or ask for a shorter answer`;
  const [leastMicro, availableMicro] = [String(least), String(account.availableMicro)];
  return new AppError('insufficient_credit', message, { leastMicro, availableMicro, currency: account.currency });
}

/** A budget of the key has no room. */
export function overBudget({ amountMicro, window, resetsAtMs }: OpenBudget, row: WindowRow): AppError {
  const [kind = ''] = window.split(':');
  const again =
    resetsAtMs === null ? 'it does not fill again' : `it is full again at ${new Date(resetsAtMs).toISOString()}`;
  const message = `the budget of this key (${kind}) is ${amountMicro} micro-units, of which ${row.usedMicro} are used and ${row.heldMicro} are held by running requests; ${again}`;
  return new AppError('budget_exceeded', message, { limit: `budget_${kind}`, resetsAtMs });
}

/** An `Idempotency-Key` that another request of the account has. */
export function idempotencyKeyUsed(requestId: string, state: string): AppError {
  const message = `this Idempotency-Key was sent with request ${requestId}, which is ${state}; nothing is charged twice: ask for that request's cost, or send another key`;
  return new AppError('idempotency_key_used', message, { requestId, state });
}
