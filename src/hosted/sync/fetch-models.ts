import { toErrorData, type Clock } from '../../base/index.js';
import type { LookUpAll, MayConnect } from '../../address/index.js';
import { createUpstream, fieldOf, reasonOf, type UpstreamAnswer, type UpstreamLimits } from '../../relay/index.js';
import type { ListedModel } from '../gateways/connected-gateway.js';
import { readModelList } from './read-model-list.js';

/** The header that marks answers of this service. It reveals a gateway that leads back to the service. */
export const SERVICE_ID_HEADER = 'x-troupe-service-id';

/** Bytes of a list: 1,000 models with vLLM's fields. */
const MAX_LIST_BYTES = 1024 * 1024;
const MAX_ETAG_LENGTH = 256;
/** A server that takes longer to list its models cannot serve a chat either. */
const LIMITS: Partial<UpstreamLimits> = {
  connectMs: 4_000,
  firstByteMs: 8_000,
  idleMs: 4_000,
  requestMs: 10_000,
  requests: 1,
  headerBytes: 16 * 1024,
};

/** The gateway whose list is asked for. */
export interface ListRequest {
  readonly slug: string;
  readonly baseUrl: string;
  readonly credential: string;
  readonly mayConnect: MayConnect;
  /** How its name is resolved. */
  readonly lookUpAll: LookUpAll;
  /** Of the list that is known. */
  readonly etag: string | undefined;
  /** The value of `SERVICE_ID_HEADER` in answers of this service. */
  readonly serviceId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The result of a request. `failed`: in words, without any text of the gateway. */
export type FetchedModels =
  | {
      readonly state: 'read';
      readonly models: readonly ListedModel[];
      readonly etag: string | undefined;
      readonly skipped: number;
    }
  | { readonly state: 'unchanged' }
  | { readonly state: 'failed'; readonly reason: string };

/** Asks a gateway for its models. No redirect is followed, and nothing is tried again. Errors: the reason of the signal. */
export async function fetchModels(request: ListRequest): Promise<FetchedModels> {
  const { slug, baseUrl, mayConnect, lookUpAll, clock, signal } = request;
  await using upstream = await createUpstream({ id: slug, baseUrl, limits: LIMITS, clock, mayConnect, lookUpAll });
  try {
    const answer = await upstream.request({ method: 'GET', target: '/v1/models', fields: toFields(request), signal });
    return await readAnswer(answer, request);
  } catch (error) {
    signal.throwIfAborted();
    if (reasonOf(error) === undefined) throw error;
    return { state: 'failed', reason: toErrorData(error).message };
  }
}

function toFields({ credential, etag }: ListRequest): readonly (readonly [string, string])[] {
  return [
    ['accept', 'application/json'],
    ['accept-encoding', 'identity'],
    ['authorization', `Bearer ${credential}`],
    ['user-agent', 'troupe-hosted-api'],
    ...(etag === undefined ? [] : [['if-none-match', etag] as const]),
  ];
}

async function readAnswer({ status, fields, body }: UpstreamAnswer, request: ListRequest): Promise<FetchedModels> {
  if (fieldOf(fields, SERVICE_ID_HEADER) === request.serviceId) {
    await body.return?.();
    return failed('comes from this service: the gateway would be a loop');
  }
  if (status === 304 && request.etag !== undefined) {
    await body.return?.();
    return { state: 'unchanged' };
  }
  if (status !== 200) {
    await body.return?.();
    return failed(`has the status ${status}${hintOf(status)}`);
  }
  if ((fieldOf(fields, 'content-encoding') ?? 'identity').toLowerCase() !== 'identity') {
    await body.return?.();
    return failed('is compressed, which was not asked for');
  }
  const bytes = await readUpTo(body, MAX_LIST_BYTES);
  if (bytes === undefined) return failed(`has more than ${MAX_LIST_BYTES} bytes`);
  const list = readModelList(bytes);
  if ('trouble' in list) return failed(list.trouble);
  return { state: 'read', ...list, etag: toEtag(fieldOf(fields, 'etag')) };
}

/** Source: RFC 9110, 8.8.3. Any other is not sent back. */
function toEtag(text: string | undefined): string | undefined {
  return text !== undefined && text.length <= MAX_ETAG_LENGTH && /^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(text)
    ? text
    : undefined;
}

function hintOf(status: number): string {
  if (status === 401 || status === 403) return '; see that its credential is right';
  if (status === 404) return '; its base URL must be the part before /v1/models';
  return status >= 300 && status < 400 ? '; redirects are not followed: give the base URL to which it leads' : '';
}

/** Undefined: the body exceeds the limit; the rest is not read. */
async function readUpTo(body: UpstreamAnswer['body'], maxBytes: number): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > maxBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function failed(what: string): FetchedModels {
  return { state: 'failed', reason: `GET /v1/models ${what}` };
}
