import { assert, invalidValue, isAppError } from '../../base/index.js';
import { dayOf, OpenHold, windowEndMs } from '../../metering/index.js';
import type { PaidHold, PaidRequest } from '../billing.js';
import type { AdmissionRequest, OpenBudget } from '../books/admission.js';
import type { HeldRequest } from '../books/held-request.js';
import { toVoid } from '../books/settlement.js';
import type { Ticket } from '../limits/rate-limits.js';
import type { AdmissionOptions } from './admission-options.js';
import { openPaidHold } from './paid-hold.js';
import { windowAt } from '../keys/key-budgets.js';

/** A hold outlives the longest stream by this time: no running request expires. */
const GRACE_MS = 300_000;
/** The most tokens of a request: contexts of models are below 2^24. */
const MAX_TOKENS = 2 ** 31;
const MAX_PARTS = 10_000;
/** Each time, money was returned and other requests took it first: a further attempt is not urgent. */
const MAX_TRIES = 50;

/** Admits paid requests. */
export function createAdmitPaid(options: AdmissionOptions): (request: PaidRequest) => Promise<PaidHold> {
  return async (request) => {
    const admission = toAdmission(request, options);
    const { wantedTokens } = admission;
    const { limits } = request.caller.key;
    const tokens = request.promptTokensBound + wantedTokens;
    const ticket = await options.limits.take({ keyId: request.caller.key.id, limits, tokens });
    const held = await reserve(admission, ticket, options);
    options.open.set(held.requestId, held);
    const hold = new OpenHold(openPaidHold(held, admission, ticket, options));
    return Object.assign(hold, { rates: () => ticket.rates() });
  };
}

async function reserve(admission: AdmissionRequest, ticket: Ticket, options: AdmissionOptions): Promise<HeldRequest> {
  const local = options.allowances.reserve(admission);
  if (local !== undefined) return local;
  try {
    return await admitFromAll(admission, options);
  } catch (error) {
    ticket.undo();
    // It may have been committed as the connection was lost: then its hold ends when the database is back.
    if (isAppError(error) && error.details['isUnknown'] === true)
      void options.settle(toVoid(admission.request, options.now(), 'refused'));
    throw error;
  }
}

/** Refuses for lack of money only if no node has an allowance with the rest of it. */
async function admitFromAll(admission: AdmissionRequest, options: AdmissionOptions): Promise<HeldRequest> {
  for (let tries = 1; ; tries++) {
    try {
      return await admit(admission, options);
    } catch (error) {
      const isShort = isAppError(error) && error.code === 'insufficient_credit' && error.details['heldMicro'] !== '0';
      if (!isShort || tries === MAX_TRIES) throw error;
      if (!(await options.recall.bringBack(admission.request.accountId))) throw error;
    }
  }
}

async function admit(admission: AdmissionRequest, { committer }: AdmissionOptions): Promise<HeldRequest> {
  const result = await committer.run({ kind: 'admit', admission });
  assert(result.kind === 'granted', 'what is admitted is granted');
  return Object.assign(admission.request, result.granted);
}

function toAdmission(request: PaidRequest, options: AdmissionOptions): AdmissionRequest {
  const { price, caller, outputTokensBound, isWhole, idempotencyKey } = request;
  checkRequest(request);
  const createdAtMs = options.now();
  const budgets = caller.key.limits.budgets.map((budget) => openBudget(budget, options.steadyMs()));
  const whole = outputTokensBound ?? options.wholeTokens;
  const slice = Math.min(options.sliceTokens, outputTokensBound ?? options.sliceTokens);
  const wantedTokens = isWhole ? whole : slice;
  return {
    request: {
      requestId: request.requestId,
      accountId: caller.account.id,
      keyId: caller.key.id,
      provider: request.provider,
      model: request.model,
      price,
      priceVersion: price.version,
      currency: price.currency,
      promptTokens: request.promptTokensBound,
      images: request.images,
      audios: request.audios,
      windows: budgets.map(({ window }) => window),
      createdAtMs,
      allowanceOf: undefined,
      grantedTokens: 0,
      heldMicro: 0n,
    },
    wantedTokens,
    mostTokens: isWhole ? whole : (outputTokensBound ?? Infinity),
    // An answer needs at least one token. An answer that cannot be cut and has no stated bound reserves the rest of the
    // account, up to `wantedTokens`. Its further cost is charged as far as the account goes.
    leastTokens: Math.min(isWhole && outputTokensBound !== undefined ? whole : 1, wantedTokens),
    budgets,
    idempotencyKey,
    expiresAtMs: options.steadyMs() + options.maxStreamMs + GRACE_MS,
  };
}

function openBudget(
  { amountMicro, window }: PaidRequest['caller']['key']['limits']['budgets'][number],
  unixMs: number,
): OpenBudget {
  const resetsAtMs = windowEndMs(window, dayOf(unixMs)) ?? null;
  return { amountMicro, window: windowAt(window, unixMs), resetsAtMs };
}

function checkRequest(request: PaidRequest): void {
  const { requestId, provider, model, promptTokensBound, outputTokensBound, images, audios, idempotencyKey } = request;
  for (const [field, text] of Object.entries({ requestId, provider, model })) {
    if (!/^[^\p{Cc}\p{Cs}]{1,300}$/u.test(text))
      throw invalidValue(field, text, 'text of 1 to 300 characters without control characters');
  }
  const counts = { promptTokensBound, outputTokensBound: outputTokensBound ?? 0 };
  for (const [field, count] of Object.entries(counts)) checkCount(field, count, MAX_TOKENS);
  for (const [field, count] of Object.entries({ images, audios })) checkCount(field, count, MAX_PARTS);
  if (idempotencyKey !== undefined && !/^[!-~]{1,255}$/.test(idempotencyKey))
    throw invalidValue('Idempotency-Key', idempotencyKey.length, '1 to 255 visible characters of ASCII');
}

function checkCount(field: string, count: number, most: number): void {
  if (Number.isInteger(count) && count >= 0 && count <= most) return;
  throw invalidValue(field, count, `a whole number from 0 to ${most}`);
}
