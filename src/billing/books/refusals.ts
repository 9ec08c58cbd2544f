import { AppError } from '../../base/index.js';
import { toMoney } from '../../metering/index.js';
import { boundMicro } from '../prices/cost.js';
import type { OpenBudget } from './admission.js';
import type { AccountRow, WindowRow } from './rows.js';
import type { HeldRequest } from './held-request.js';

/** The account cannot pay the least that a request may cost. */
export function insufficientCredit(account: AccountRow, request: HeldRequest, leastTokens: number): AppError {
  const { promptTokens, images, audios, provider, model } = request;
  const used = { promptTokens, cachedTokens: 0, completionTokens: leastTokens, images, audios };
  const least = boundMicro(request.price, used);
  const { currency } = account;
  const [availableMicro, heldMicro] = [String(account.availableMicro), String(account.heldMicro)];
  const has = `the account has ${toMoney(account.availableMicro, currency)} that no other request holds (${toMoney(account.heldMicro, currency)} are held)`;
  const message = `this request to ${provider}/${model} may cost ${toMoney(least, currency)}, and ${has}; add credit, or ask for a shorter answer`;
  return new AppError('insufficient_credit', message, {
    leastMicro: String(least),
    availableMicro,
    heldMicro,
    currency,
  });
}

/** A budget of the key, in the currency of its account, has no room. */
export function overKeyBudget(
  { amountMicro, window, resetsAtMs }: OpenBudget,
  row: WindowRow,
  currency: string,
): AppError {
  const [kind = ''] = window.split(':');
  const again =
    resetsAtMs === null ? 'it does not fill again' : `it is full again at ${new Date(resetsAtMs).toISOString()}`;
  const left = amountMicro - row.usedMicro - row.heldMicro;
  const has = `has ${toMoney(left < 0n ? 0n : left, currency)} left of ${toMoney(amountMicro, currency)}, while running requests hold ${toMoney(row.heldMicro, currency)}`;
  const message = `the budget of this key (${kind}) ${has}, and this request may cost more; ${again}`;
  return new AppError('budget_exceeded', message, { limit: `budget_${kind}`, resetsAtMs });
}

/** An `Idempotency-Key` that another request of the account has. */
export function idempotencyKeyUsed(requestId: string, state: string): AppError {
  const message = `this Idempotency-Key was sent with request ${requestId}, which is ${state}; nothing is charged twice: ask for that request's cost, or send another key`;
  return new AppError('idempotency_key_used', message, { requestId, state });
}
