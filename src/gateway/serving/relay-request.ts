// The life of one relayed request: read, find its model, reserve, send, hand the answer on, settle.
import { randomUUID } from 'node:crypto';
import { AppError, present } from '../../base/index.js';
import type { HeaderFields, HttpResponse } from '../../http/index.js';
import type { AuthenticatedKey, Hold, KeyRecord } from '../../metering/index.js';
import {
  beginWhole,
  chargedOf,
  checkChoices,
  choicesOf,
  createOutputLimiter,
  fieldsOf,
  isUpstreamField as isOfAnUpstream,
  NO_USAGE,
  recordOutcome,
  outputLimitOf as limitOf,
  promptBoundOf,
  toFinalBytes,
  toRateFields,
  type LiveRequest,
  type OutputLimiter,
  type RelayedApi,
} from '../../relay-serving/index.js';
import {
  estimatePrompt,
  prefixKey,
  resultOf,
  scanRequestInTurns,
  sendToGroup,
  toResponse,
  type AnswerOutcome,
  type RequestFacts,
} from '../../relay/index.js';
import type { ModelTarget } from '../routing/model-target.js';
import { findRoutedModel, type RoutedModel } from '../routing/routing-table.js';
import { authenticate } from './authenticate.js';
import type { GatewayCall, GatewayContext } from './gateway-route.js';
import { sendToTarget, type SentAnswer } from './send-to-target.js';
import { CHAT, toTranslatedResponse } from './translation.js';
import { GATEWAY_ID_HEADER } from '../evidence.js';

/** A request once its body was read. */
interface Asked {
  readonly call: GatewayCall<Uint8Array>;
  readonly api: RelayedApi;
  /** The path as runtimes spell it. A client may add a slash, or put the path behind a host name. */
  readonly path: string;
  readonly key: AuthenticatedKey;
  readonly facts: RequestFacts;
  readonly model: RoutedModel;
}

/** And once it was admitted. */
interface Admitted extends Asked {
  readonly hold: Hold;
  readonly live: LiveRequest;
  /** An answer has come: its end settles the reservation. */
  readonly onAnswer: () => void;
}

/**
 * Relays a request of an authenticated key. Its reservation is always settled. Errors: those of reading a body, of
 * `findRoutedModel`, of the meter, of a relay.
 */
export async function relayRequest(
  call: GatewayCall<Uint8Array>,
  api: RelayedApi,
  path: string,
): Promise<HttpResponse> {
  const { body, context, record, request } = call;
  // Checked again: a body may take long, and the key may have ended since.
  authenticate(call);
  const key = present(record.key, 'a relayed request was authenticated');
  record.bytesIn = body.length;
  const facts = await scanRequestInTurns(body);
  record.isStream = facts.stream;
  const model = findRoutedModel(context.table(), facts.model, key.models);
  record.model = model.id;
  checkAsked(facts, model, key);
  const asked = { call, api, path, key, facts, model };
  // From here on the end of the key ends the request.
  const live = context.live.begin({
    keyId: key.id,
    hash: key.usedHash,
    signal: request.signal,
    finalBytes: (error) => toFinalBytes(api, error, context.kindOf),
  });
  let hold: Hold | undefined;
  let hasAnswer = false;
  try {
    hold = await reserve(asked);
    record.admittedMs = context.clock.nowMs();
    return await send({ ...asked, hold, live, onAnswer: () => (hasAnswer = true) });
  } catch (error) {
    live.end();
    // The request costs nothing. Its client gets the error without waiting for a full disk.
    if (!hasAnswer) void hold?.settle(NO_USAGE);
    throw error;
  }
}

function reserve({ call, api, key, facts, model }: Asked): Promise<Hold> {
  const limit = statedOutputLimit(api, facts, model, key);
  return call.context.meter.admit({
    // Clients choose the id that the log has.
    requestId: randomUUID(),
    keyId: key.id,
    model: model.id,
    ...(model.price && { price: model.price }),
    promptTokensBound: promptBoundOf(api, call.body, facts),
    // A stream can be cut and grows by slices; a whole answer cannot, and is reserved to its limit.
    ...(!facts.stream && limit !== undefined && { outputTokensBound: limit }),
    choices: choicesOf(facts),
  });
}

async function send(admitted: Admitted): Promise<HttpResponse> {
  const { call, api, key, facts, model, live } = admitted;
  const { context, record, request, body } = call;
  let sent: SentAnswer | undefined;
  const { answer, chosen, attempts } = await sendToGroup<ModelTarget>({
    group: model.group,
    budget: model.retries,
    id: model.id,
    async send(target) {
      sent = await sendToTarget(target, admitted);
      return sent.answer;
    },
    affinity: prefixKey(body, facts, key.id),
    canRepeat: true,
    signal: live.signal,
  });
  const { target } = chosen;
  record.attempts = attempts;
  record.runtimeId = target.runtime.config.id;
  record.upstreamModel = target.model;
  let tellKnown = (): void => {};
  record.whenKnown = new Promise((resolve) => (tellKnown = resolve));
  const { takeOutUsage = false, translated } = sent ?? {};
  if (translated !== undefined) record.ignored = translated.ignored;
  record.isTranslated = translated !== undefined;
  const relayed = toResponse(answer, {
    method: request.method,
    dialect: translated === undefined ? api.dialect : CHAT.dialect,
    takeOutUsage,
    estimatePrompt: () => estimatePrompt(body),
    isDropped: isHiddenField,
    hooks: {
      ...admissionOf(admitted),
      onFirstByte: () => void (record.firstByteMs = context.clock.nowMs()),
      onOutcome: (outcome) => {
        chosen.end(resultOf(outcome.status, outcome.error));
        live.end();
        settle(admitted, chargedOf(api, outcome));
        tellKnown();
      },
    },
  });
  admitted.onAnswer();
  live.answers(relayed.body);
  const mayBeCut = api.path === '' || (statedOutputLimit(api, facts, model, key) ?? 0) > 0;
  if (mayBeCut) await beginWhole(relayed.body, facts, record);
  const response =
    translated === undefined ? relayed.response : await toTranslatedResponse({ call, request: translated, relayed });
  return { ...response, headers: toGatewayFields(response.headers, context, key) };
}

function admissionOf({ call, api, key, facts, model, hold }: Admitted): OutputLimiter {
  const { record, context } = call;
  return createOutputLimiter({
    facts,
    limit: statedOutputLimit(api, facts, model, key),
    hold,
    used: budgetUsed,
    finalBytes: (error) => toFinalBytes(api, error, context.kindOf),
    onCut: ({ code, message }) => (record.error = { code, message, details: {} }),
  });
}

function settle({ call, hold }: Admitted, outcome: AnswerOutcome): void {
  const { status, usage, bytes, end } = outcome;
  const { record } = call;
  recordOutcome(record, outcome);
  // A runtime that failed before its first token cost nothing. A request that its client left cost its prompt.
  const isFailed = end === 'failed' && usage.completionTokens === 0;
  void hold.settle({ ...usage, began: !isFailed && (bytes > 0 || end === 'cut') && status >= 200 && status < 300 });
}

function budgetUsed(): AppError {
  return new AppError(
    'budget_exceeded',
    'the answer was cut, since a budget or a limit of this key has no more tokens',
  );
}

/** Whether a field of a runtime's answer is hidden from clients: the gateway itself sends its id and its limits. */
function isHiddenField(name: string): boolean {
  return name === GATEWAY_ID_HEADER || name.startsWith('x-ratelimit-') || isOfAnUpstream(name);
}

/** The fields of a runtime's answer, and the gateway's own. */
function toGatewayFields(
  fields: HttpResponse['headers'],
  { gatewayId, meter }: Pick<GatewayContext, 'gatewayId' | 'meter'>,
  key: KeyRecord,
): HeaderFields {
  return [...fieldsOf(fields), [GATEWAY_ID_HEADER, gatewayId], ...toRateFields(meter.limitState(key.id))];
}

// The highest cost of a request, from its body, its model and its key.

/** The most completion tokens of one choice; undefined: no limit is stated. */
function statedOutputLimit(
  api: RelayedApi,
  facts: RequestFacts,
  model: RoutedModel,
  { limits }: KeyRecord,
): number | undefined {
  return limitOf(api, facts, [model.maxOutputTokens, limits.maxOutputTokens]);
}

/** Refuses a request above the limits of its key, of its model or of all requests. Errors: `invalid_value`. */
function checkAsked(facts: RequestFacts, model: RoutedModel, key: KeyRecord): void {
  checkChoices(facts);
  const { maxOutputTokens } = facts;
  for (const [whose, limit] of [
    ['this key', key.limits.maxOutputTokens],
    ['this model', model.maxOutputTokens],
  ] as const) {
    if (limit === undefined || maxOutputTokens === undefined || maxOutputTokens <= limit) continue;
    const message = `the request asks for ${maxOutputTokens} completion tokens, and ${whose} allows ${limit}; ask for no more`;
    throw new AppError('invalid_value', message, { param: 'max_tokens', limit });
  }
}
