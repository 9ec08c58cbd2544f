// The life of one paid request: read, find its model and its price, reserve, send, hand the answer on, settle.
import { AppError, toErrorData } from '../../base/index.js';
import { toHttpAnswer } from '../../api/index.js';
import type { Caller, PaidHold, PaidOutcome } from '../../billing/index.js';
import { hasClientLeft, type HeaderFields, type HttpResponse } from '../../http/index.js';
import {
  beginWhole,
  chargedOf,
  checkChoices,
  choicesOf,
  countMedia,
  createOutputLimiter,
  fieldsOf,
  isUpstreamField as isOfAnUpstream,
  NO_USAGE,
  recordOutcome,
  outputLimitOf,
  promptBoundOf,
  toFinalBytes,
  toRateFields,
  withRates,
  type OutputLimiter,
} from '../../relay-serving/index.js';
import {
  canAskUsage,
  estimatePrompt,
  resultOf,
  scanRequestInTurns,
  toResponse,
  type AnswerOutcome,
  type RequestFacts,
} from '../../relay/index.js';
import { authenticate, callerOf } from './authenticate.js';
import type { AdmittedCall, PaidCall } from './admitted.js';
import type { RelayTarget } from '../upstreams/relay-target.js';
import type { ChosenModel } from './choose-model.js';
import type { HostedCall } from './hosted-route.js';
import { sendUpstream } from './send-upstream.js';
import { SERVICE_ID_HEADER } from '../sync/fetch-models.js';

/** The header with the id by which a client asks for the cost of a request later. */
const GENERATION_ID_HEADER = 'x-generation-id';

/** Header fields of the service in a relayed answer. */
interface OwnFields {
  /** Whether to drop an upstream's field, its name in lower case, because the service has its own of that name. */
  isDropped(name: string): boolean;
  /** The fields of an upstream's answer, and the service's own. */
  add(fields: HttpResponse['headers']): HeaderFields;
}

/**
 * The fields of one answer: its ids, and the state of the key's limits. Limits of an upstream under other names stay.
 */
function createOwnFields(serviceId: string, requestId: string, hold: Pick<PaidHold, 'rates'>): OwnFields {
  const own: HeaderFields = [
    [SERVICE_ID_HEADER, serviceId],
    [GENERATION_ID_HEADER, requestId],
    ...toRateFields(hold.rates()),
  ];
  return {
    isDropped: (name) => isOfAnUpstream(name) || own.some(([ours]) => ours === name),
    add: (fields) => [...fieldsOf(fields), ...own],
  };
}

/** Chooses the target of a request, and the model to charge, by its body. */
export type Choose = (
  facts: RequestFacts,
  caller: Caller,
) => Promise<{ readonly target: RelayTarget; readonly chosen: ChosenModel }>;

/**
 * Relays a request of an authenticated key. Its hold is always settled. Errors: those of reading a body, of `choose`,
 * of billing, of a relay.
 */
export async function relayPaid(call: HostedCall<Uint8Array>, choose: Choose): Promise<HttpResponse> {
  const { body, context, record, request } = call;
  // Checked again: a body may take long, and the key may have ended since.
  await authenticate(call);
  const caller = callerOf(record);
  record.bytesIn = body.length;
  const facts = await scanRequestInTurns(body);
  record.isStream = facts.stream;
  const { target, chosen } = await choose(facts, caller);
  record.target = target;
  record.model = chosen.model;
  checkChoices(facts);
  const asked = { call, target, caller, facts, chosen };
  // From here on the end of the key ends the request.
  const live = context.live.begin({
    keyId: caller.key.id,
    hash: caller.secretHash,
    signal: request.signal,
    outlivesClient: true,
    finalBytes: (error) => toFinalBytes(target.api, error, context.kindOf),
  });
  let hold: PaidHold | undefined;
  try {
    hold = await reserve(asked);
    record.admittedMs = context.clock.nowMs();
    return await send({ ...asked, hold, live });
  } catch (error) {
    live.end();
    // The request costs nothing. Its client gets the error without waiting for the database.
    if (hold !== undefined) void settleLater(call, hold, toFailed(call, error));
    throw hold === undefined ? error : withRates(error, hold.rates());
  }
}

function reserve({ call, target, caller, facts, chosen }: PaidCall): Promise<PaidHold> {
  const { body, context, request } = call;
  const limit = limitOf({ target, facts });
  const idempotencyKey = idempotencyKeyOf(request.headers);
  return context.billing.requests.admit({
    requestId: request.id,
    caller,
    provider: target.provider,
    model: chosen.model,
    price: chosen.price,
    promptTokensBound: promptBoundOf(target.api, body, facts),
    ...countMedia(body, facts),
    ...(limit !== undefined && { outputTokensBound: limit * choicesOf(facts) }),
    isWhole: !facts.stream,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
}

/** Completion tokens at most of one choice; undefined: unknown. */
function limitOf({ target, facts }: Pick<PaidCall, 'target' | 'facts'>): number | undefined {
  return outputLimitOf(target.api, facts, [target.maxOutputTokens]);
}

async function send(admitted: AdmittedCall): Promise<HttpResponse> {
  const { call, target, live, hold } = admitted;
  const { context, record, request } = call;
  const { answer, asksUsage, end } = await sendUpstream(admitted, mayAskUsage(admitted));
  const own = createOwnFields(context.serviceId, request.id, hold);
  let tellKnown = (): void => {};
  record.whenKnown = new Promise((resolve) => (tellKnown = resolve));
  const { response, body } = toResponse(answer, {
    method: request.method,
    dialect: target.api.dialect,
    takeOutUsage: asksUsage,
    estimatePrompt: () => estimatePrompt(call.body),
    isDropped: own.isDropped,
    hooks: {
      ...admissionOf(admitted),
      onFirstByte: () => void (record.firstByteMs = context.clock.nowMs()),
      onLeft: () => {
        const {
          disconnectStreams: streams,
          disconnectMs: timeMs,
          disconnectTokens: tokens,
        } = context.table().config.limits;
        return context.readOn.take({ streams, timeMs, tokens });
      },
      // The settlement is durable before the client receives the last byte.
      onKnown: (outcome) => settle(admitted, chargedOf(target.api, outcome)),
      onOutcome: (told) => {
        const outcome = chargedOf(target.api, told);
        end(resultOf(outcome.status, outcome.error));
        live.end();
        recordOutcome(record, outcome);
        void settle(admitted, outcome);
        tellKnown();
      },
    },
  });
  live.answers(body);
  if ((limitOf(admitted) ?? 0) > 0) await beginWhole(body, admitted.facts, record);
  return { ...response, headers: own.add(response.headers) };
}

function admissionOf(admitted: AdmittedCall): OutputLimiter {
  const { call, target, facts, hold } = admitted;
  const { record, context } = call;
  return createOutputLimiter({
    facts,
    limit: limitOf(admitted),
    hold,
    used: creditUsed,
    finalBytes: (error) => toFinalBytes(target.api, error, context.kindOf),
    onCut: ({ code, message }) => (record.error = { code, message, details: {} }),
  });
}

/** Whether the upstream may be asked for the usage of a stream although the client did not ask. */
function mayAskUsage({ target, facts }: PaidCall): boolean {
  const canBe = target.asksUsage && target.api.dialect?.canAskUsage === true;
  return canBe && facts.stream && !facts.includesUsage && canAskUsage(facts);
}

/** Settles once, by the first known outcome. Resolves when it is written; at once if it costs nothing. */
function settle({ call, hold }: AdmittedCall, { status, usage, bytes, end }: AnswerOutcome): Promise<void> | undefined {
  const isGood = status >= 200 && status < 300;
  // A request that failed before its first token costs nothing. A client that left before its first byte pays the usage
  // that the upstream reported, if any. A client that left
  // later pays for the answer so far.
  const isFailed = end === 'failed' && usage.completionTokens === 0;
  const isUntold = bytes === 0 && usage.isEstimated;
  const began = isGood && !isFailed && !isUntold;
  const { durationMs, firstByteMs } = timesOf(call);
  // An answer of one piece is handed on after it is settled: its first byte is there now.
  const times = { durationMs, firstByteMs: firstByteMs ?? (began && end === 'whole' ? durationMs : null) };
  const settled = settleLater(call, hold, { ...usage, ...times, began, status, end });
  return began ? settled : undefined;
}

/** The status of a request whose client left before its answer: nginx has it. */
const CLIENT_LEFT = 499;

/** How a request ended that got no answer. */
function toFailed(call: HostedCall, error: unknown): PaidOutcome {
  const isLeft = hasClientLeft(call.request.signal);
  const status = isLeft ? CLIENT_LEFT : toHttpAnswer(toErrorData(error).code, call.context.kindOf).status;
  return { ...NO_USAGE, ...timesOf(call), status, end: isLeft ? 'left' : 'failed' };
}

function timesOf({ record, context }: HostedCall): Pick<PaidOutcome, 'durationMs' | 'firstByteMs'> {
  const { receivedMs, firstByteMs } = record;
  return {
    durationMs: Math.max(0, Math.round(context.clock.nowMs() - receivedMs)),
    firstByteMs: firstByteMs === undefined ? null : Math.max(0, Math.round(firstByteMs - receivedMs)),
  };
}

/** A drain waits for it. */
function settleLater({ context }: HostedCall, hold: PaidHold, outcome: PaidOutcome): Promise<void> {
  const settled: Promise<void> = hold.settle(outcome).finally(() => context.settling.delete(settled));
  context.settling.add(settled);
  return settled;
}

function creditUsed(): AppError {
  return new AppError(
    'insufficient_credit',
    'the answer was cut, since the account, or a budget or a limit of this key, has no more',
  );
}

const VISIBLE = /^[\x21-\x7e]{1,255}$/;

/** The client's own key of its request; undefined: it has none. Errors: `invalid_value`. */
function idempotencyKeyOf(headers: ReadonlyMap<string, string>): string | undefined {
  const key = headers.get('idempotency-key');
  if (key === undefined || VISIBLE.test(key)) return key;
  const message = `Idempotency-Key has ${key.length} characters; send 1 to 255 visible characters of ASCII`;
  throw new AppError('invalid_value', message, { param: 'Idempotency-Key' });
}
