// One request to one target: by its own API, or as chat completions where the runtime lacks that API.
import type { AuthenticatedKey } from '../../metering/index.js';
import { queryOf, type AskedAnswer, type LiveRequest, type RelayedApi } from '../../relay-serving/index.js';
import {
  apiMissing,
  canAskUsage,
  editRequest,
  toUpstreamFields,
  type RequestFacts,
  type UpstreamAnswer,
} from '../../relay/index.js';
import { toChatJson, type TranslatedRequest } from '../../translation/index.js';
import { toCacheSalt } from '../routing/cache-salt.js';
import { targetKeyOf, type ModelTarget } from '../routing/model-target.js';
import type { GatewayCall } from './gateway-route.js';
import { judgeAnswer } from './lacks-api.js';
import { CHAT, readTranslated, translatedApiOf } from './translation.js';

/** A request that may be sent. */
export interface Sending {
  readonly call: GatewayCall<Uint8Array>;
  readonly api: RelayedApi;
  /** The path as runtimes spell it. A client may add a slash, or put the path behind a host name. */
  readonly path: string;
  readonly key: AuthenticatedKey;
  readonly facts: RequestFacts;
  readonly live: LiveRequest;
}

/** An answer, and how it was asked for. */
export interface SentAnswer {
  readonly answer: UpstreamAnswer;
  /** The gateway asked for usage and the client did not: the usage is removed again. */
  readonly takeOutUsage: boolean;
  /** The request, where it was translated: so must be the answer. */
  readonly translated?: TranslatedRequest;
}

/** Errors: `upstream_api_missing` where the target lacks the API and no other can replace it; those of a request. */
export async function sendToTarget(target: ModelTarget, sending: Sending): Promise<SentAnswer> {
  const { call, api, path } = sending;
  const mayAsk = api.dialect?.canAskUsage === true && !sending.facts.includesUsage && canAskUsage(sending.facts);
  const own = await sendIfThere(target, sending, { path, mayAsk }, (asks) => sendOwn(target, sending, asks));
  if (typeof own !== 'number') return { answer: own.answer, takeOutUsage: own.asksUsage };
  const { id, translate } = target.runtime.config;
  const translatable = translatedApiOf(api);
  if (translatable === undefined) throw apiMissing(id, path, own, 'ask for a model of a runtime that has it');
  if (!translate || !call.context.table().translate) {
    throw apiMissing(id, path, own, 'send chat completions, or set translate to true in gateway.yaml');
  }
  const translated = await readTranslated(call, translatable);
  const { path: chatPath } = CHAT.dialect;
  const asked = { path: chatPath, mayAsk: true };
  const chat = await sendIfThere(target, sending, asked, (asks) => sendChat(target, sending, translated, asks));
  if (typeof chat === 'number') throw apiMissing(id, `${path} and no ${chatPath}`, chat, 'ask for another model');
  return { answer: chat.answer, takeOutUsage: false, translated };
}

/** The answer by an API; or the status, now or remembered, by which the target shows that it lacks the API. */
async function sendIfThere(
  target: ModelTarget,
  { call, facts }: Sending,
  { path, mayAsk }: { readonly path: string; readonly mayAsk: boolean },
  send: (asks: boolean) => Promise<UpstreamAnswer>,
): Promise<AskedAnswer | number> {
  const { lacked, usageAsking } = call.context;
  const known = lacked.statusOf(target, path);
  if (known !== undefined) return known;
  const asks = mayAsk && facts.stream && target.runtime.config.metering === 'inject';
  const sent = asks
    ? await usageAsking.send(targetKeyOf(target, path), send)
    : { answer: await send(false), asksUsage: false };
  // An answer to HEAD has no body that could distinguish a path from a model.
  if (call.request.method === 'HEAD') return sent;
  const { answer, isLack } = await judgeAnswer(sent.answer, path);
  if (!isLack) return { ...sent, answer };
  void answer.body.return?.();
  lacked.remember(target, path, answer.status);
  return answer.status;
}

function sendOwn(target: ModelTarget, sending: Sending, asks: boolean): Promise<UpstreamAnswer> {
  const { call, api, path, facts } = sending;
  const pieces = editRequest(call.body, facts, {
    model: target.model,
    includeUsage: asks,
    cacheSalt: saltOf(target, sending),
  });
  const query = queryOf(call.request.target);
  const isForMessages = api.words === 'anthropic';
  return post(target, sending, { path, query, pieces, plainAnswer: asks, isForMessages });
}

function sendChat(
  target: ModelTarget,
  sending: Sending,
  { members }: TranslatedRequest,
  asks: boolean,
): Promise<UpstreamAnswer> {
  const salt = saltOf(target, sending);
  const body = toChatJson(members, {
    model: target.model,
    ...(asks && { stream_options: { include_usage: true } }),
    ...(salt !== undefined && { cache_salt: salt }),
  });
  return post(target, sending, { path: CHAT.dialect.path, pieces: [Buffer.from(body)], plainAnswer: true });
}

function saltOf({ runtime }: ModelTarget, { call, key, facts }: Sending): string | undefined {
  return runtime.kind.sharesPrefixCache ? toCacheSalt(call.context.saltSecret, key.id, facts.cacheSalt) : undefined;
}

/** The request that a runtime gets. */
interface Sent {
  readonly path: string;
  /** As the client sent it; a translated request has none. */
  readonly query?: string;
  readonly pieces: readonly Uint8Array[];
  readonly plainAnswer: boolean;
  /** Anthropic's API takes keys in its own header. */
  readonly isForMessages?: boolean;
}

function post({ runtime }: ModelTarget, { call, live }: Sending, sent: Sent): Promise<UpstreamAnswer> {
  const { request } = call;
  const { path, query = '', pieces, plainAnswer, isForMessages = false } = sent;
  const { credential } = runtime;
  const own: (readonly [string, string])[] =
    credential === undefined ? [] : [['authorization', `Bearer ${credential}`]];
  if (credential !== undefined && isForMessages) own.push(['x-api-key', credential]);
  if (call.record.trace !== undefined) own.push(...call.record.trace.fields);
  const fields = toUpstreamFields(request.fields, {
    own,
    plainAnswer,
    isDecoded: request.headers.has('content-encoding'),
  });
  return runtime.upstream.request({
    method: request.method,
    target: path + query,
    fields,
    body: pieces,
    contentLength: pieces.reduce((sum, { length }) => sum + length, 0),
    signal: live.signal,
  });
}
