import {
  type BreakerState,
  reasonOf,
  resultOf,
  editRequest,
  toUpstreamFields,
  type UpstreamAnswer,
} from '../../relay/index.js';
import { AppError } from '../../base/index.js';
import { queryOf, type AskedAnswer } from '../../relay-serving/index.js';
import type { UpstreamResult } from '../upstreams/upstream-breakers.js';
import type { OpenUpstream } from '../upstreams/upstream-set.js';
import type { AdmittedCall } from './admitted.js';

/** An answer, and the function that reports its result once it is over. */
export interface SentRequest extends AskedAnswer {
  readonly end: (result: UpstreamResult) => void;
}

/**
 * Sends a request once, through the breakers and the bulkhead of its upstream: a paid request is never sent twice. With
 * `mayAskUsage` an upstream that refuses the question for usage gets the request without it. Errors: those of a relay,
 * `upstream_busy`.
 */
export async function sendUpstream(admitted: AdmittedCall, mayAskUsage: boolean): Promise<SentRequest> {
  const { call, target, caller, chosen, live } = admitted;
  const { upstreams, table } = call.context;
  const { queue: queued, queueMs } = table().config.limits;
  const open = await upstreams.open(target.place);
  const leave = await open.bulkhead.enter({ running: target.place.connections, queued, queueMs }, live.signal);
  const { model } = chosen;
  const attempt = open.breakers.begin({ model, account: caller.account.id });
  if (attempt === undefined) {
    leave();
    throw outOfService(target.provider, model, open.breakers.state);
  }
  const end = (result: UpstreamResult): void => {
    attempt.end(result);
    leave();
  };
  call.record.attempts = 1;
  try {
    const sent = await sendAsking(admitted, open, mayAskUsage);
    if (sent.answer.status < 500) attempt.answered();
    return { ...sent, end };
  } catch (error) {
    // A client that left, and a lack of this process, do not count against an upstream.
    const reason = reasonOf(error) ?? '';
    const isOurs = live.signal.aborted || ['busy', 'exhausted'].includes(reason);
    end(isOurs ? 'unknown' : UNREACHED.includes(reason) ? 'unreached' : resultOf(502, error));
    throw error;
  }
}

/** No connection: the upstream is away, which concerns every request. */
const UNREACHED: readonly string[] = ['connect_failed', 'connect_timeout', 'proxy_refused', 'address_refused'];

async function sendAsking(admitted: AdmittedCall, open: OpenUpstream, mayAskUsage: boolean): Promise<AskedAnswer> {
  if (!mayAskUsage) return { answer: await send(admitted, open, false), asksUsage: false };
  const { call, target, chosen } = admitted;
  const place = `${target.place.baseUrl} ${chosen.model} ${target.upstreamPath}`;
  return call.context.usageAsking.send(place, (asks) => send(admitted, open, asks));
}

function send(
  { call, target, facts, live, chosen }: AdmittedCall,
  { upstream }: OpenUpstream,
  asksUsage: boolean,
): Promise<UpstreamAnswer> {
  const { request, body } = call;
  // At a plain path the model names the provider too, which the upstream does not expect.
  const isRenamed = chosen.model !== facts.model;
  const changes = { model: chosen.model, includeUsage: asksUsage };
  const pieces = asksUsage || isRenamed ? editRequest(body, facts, changes) : [body];
  const fields = toUpstreamFields(request.fields, {
    own: [...target.own, ...(call.record.trace?.fields ?? [])],
    plainAnswer: asksUsage,
    isDecoded: request.headers.has('content-encoding'),
  });
  return upstream.request({
    method: request.method,
    target: target.upstreamPath + queryOf(request.target),
    fields: fields.filter(([name]) => name.toLowerCase() !== IDEMPOTENCY_KEY),
    body: pieces,
    contentLength: pieces.reduce((sum, { length }) => sum + length, 0),
    signal: live.signal,
  });
}

/** Idempotency keys are scoped to an account. Forwarded, keys of different accounts could collide at the provider. */
const IDEMPOTENCY_KEY = 'idempotency-key';

function outOfService(id: string, model: string, whole: BreakerState): AppError {
  const what = whole === 'closed' ? ` for the model ${model}` : '';
  const message = `the upstream ${id} failed several times in a row, and is not asked for a while${what}; try again later`;
  return new AppError('upstream_busy', message, { upstream: id, reason: 'busy' });
}
