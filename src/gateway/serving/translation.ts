// Requests by Messages and Responses for runtimes that lack them: as chat completions, and the answers back.
import { randomUUID } from 'node:crypto';
import { AppError, present } from '../../base/index.js';
import { parsedBody } from '../../endpoint/index.js';
import type { HeaderFields, HttpResponse } from '../../http/index.js';
import { fieldsOf, relayedApis, type RelayedApi } from '../../relay-serving/index.js';
import { fieldOf, type RelayedBody, type RelayedResponse } from '../../relay/index.js';
import { Type } from '../../schema/index.js';
import {
  ChatAnswerReader,
  createTranslatedAnswer,
  SOURCES,
  toChatRequest,
  type TranslatedApi,
  type TranslatedRequest,
} from '../../translation/index.js';
import type { GatewayCall } from './gateway-route.js';
import { TranslatedBody } from './translated-body.js';

/** The API that requests are translated to. */
export const CHAT = relayedApis['chat-completions'];

/** Says by which API the runtime answered, where it is not the client's. */
const TRANSLATED_HEADER = 'x-troupe-translated';
/** Lists the parts of a request that were left out, separated by commas. */
const IGNORED_HEADER = 'x-troupe-ignored';

/** The body is sent as JSON, whatever content type the client sent. */
const AS_JSON: ReadonlyMap<string, string> = new Map([['content-type', 'application/json']]);

/** The name of an API whose requests can be translated; undefined: of another. */
export function translatedApiOf(api: RelayedApi): TranslatedApi | undefined {
  return (['messages', 'responses'] as const).find((name) => relayedApis[name].dialect === api.dialect);
}

/** Reads a body as a request of chat completions. Errors: `json_parse_error`, those of `toChatRequest`. */
export function readTranslated(
  { body, context, request }: GatewayCall<Uint8Array>,
  api: TranslatedApi,
): Promise<TranslatedRequest> {
  const type = parsedBody(Type.Unknown(), (value, sources) => toChatRequest(api, value, sources), {
    sources: [...SOURCES],
  });
  // A copy: a thread that reads a large body takes its memory, and the body may go to another target unchanged.
  return context.bodies.read(type, { headers: AS_JSON, body: body.slice(), signal: request.signal });
}

/** The answer of a runtime in chat completions as one in the API of the client. */
export interface TranslatedResponse {
  readonly call: GatewayCall<Uint8Array>;
  readonly request: TranslatedRequest;
  readonly relayed: RelayedResponse;
}

/** Errors: `upstream_error`, and those of the answer's body where it is not a stream. */
export async function toTranslatedResponse({ call, request, relayed }: TranslatedResponse): Promise<HttpResponse> {
  const { response, body: source } = relayed;
  const { status } = response;
  const fields = fieldsOf(response.headers);
  const isGood = status >= 200 && status < 300;
  const isStream = request.isStream && isGood;
  await refuseEncoded(fields, source);
  const body = new TranslatedBody({
    source,
    status,
    isStream,
    isEvents: isGood && /^text\/event-stream\b/i.test(fieldOf(fields, 'content-type') ?? ''),
    reader: new ChatAnswerReader({ ...request, promptEstimate: source.usage.promptTokens }),
    answer: createTranslatedAnswer(request, namesOf(call, request)),
  });
  const kept = fields.filter(([name]) => !FRAMING.has(name.toLowerCase()));
  const headers = [...kept, ...translationFields(request)];
  if (isStream) return { status, headers: [...headers, ['content-type', 'text/event-stream; charset=utf-8']], body };
  const whole = await readAll(body);
  const { error } = call.record;
  // The gateway cut the answer here, for a reason that the runtime does not know.
  if (body.hasFailed && error !== undefined) throw new AppError(error.code, error.message, error.details);
  const json: HeaderFields = [...headers, ['content-type', 'application/json; charset=utf-8']];
  return { status: body.hasFailed ? 502 : status, headers: json, body: whole };
}

/** Fields that frame a body, which is another than the runtime's. */
const FRAMING: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'etag',
  'content-md5',
]);

function translationFields({ ignored }: TranslatedRequest): HeaderFields {
  const named: HeaderFields = ignored.length === 0 ? [] : [[IGNORED_HEADER, ignored.join(', ')]];
  return [[TRANSLATED_HEADER, 'chat-completions'], ...named];
}

function namesOf({ record, context }: GatewayCall<Uint8Array>, { responses }: TranslatedRequest) {
  const newId = (): string => randomUUID().replaceAll('-', '').slice(0, 24);
  const { clock } = context;
  return {
    id: `${responses === undefined ? 'msg' : 'resp'}_${newId()}`,
    created: clock.unixSeconds(),
    model: present(record.model, 'a relayed request has a model'),
    newId,
    newCallId: () => `${responses === undefined ? 'toolu' : 'call'}_${newId()}`,
    unixSeconds: () => clock.unixSeconds(),
  };
}

/** Nothing can be read of an answer that is compressed though the request asked for none. */
async function refuseEncoded(fields: HeaderFields, source: RelayedBody): Promise<void> {
  const encoding = fieldOf(fields, 'content-encoding') ?? 'identity';
  if (encoding === 'identity') return;
  await source.return();
  const message =
    'the runtime compresses answers although the request forbids it, so the gateway cannot translate them';
  throw new AppError('upstream_error', message, { reason: 'encoded' });
}

async function readAll(body: TranslatedBody): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}
