import type { CompletionEvent } from '../completion/index.js';
import { jsonResponse, streamResponse } from '../endpoint/index.js';
import type { HttpResponse } from '../http/index.js';
import { holdCompletion } from '../models/index.js';
import {
  answerReleased,
  answerStream,
  answerWhole,
  AnswerTimer,
  dialects,
  findMisspelt,
  type MisspeltField,
  type WireDialect,
  type WireRequest,
} from '../wire/index.js';
import { recordTokens, type EngineRecord } from './engine-record.js';
import type { EngineCall, EngineRoute } from './engine-route.js';
import { modelBody, type WithModel } from './model-body.js';

/** Facts of an endpoint besides its dialect. */
interface Endpoint extends Pick<EngineRoute, 'path' | 'summary' | 'operation'> {
  readonly dialect: keyof typeof dialects;
  /** Headers of good answers by the id of the request. */
  readonly headersOf?: (id: string) => Readonly<Record<string, string>>;
}

/** An endpoint that answers in a wire's dialect, whole or as a stream, as the body requests; it ignores `Accept`. */
export function dialectRoute({ dialect: name, headersOf, ...endpoint }: Endpoint): EngineRoute {
  const dialect: WireDialect<object, object> = dialects[name];
  const { schemas, sources } = dialect;
  const read = (value: unknown, texts: Readonly<Record<string, string>>): WireRequest => {
    const request = dialect.read(value, texts);
    const misspelt = findMisspelt(schemas.request, value);
    return misspelt === undefined ? request : { ...request, misspelt };
  };
  const route: EngineRoute<WithModel<WireRequest>> = {
    ...endpoint,
    method: 'POST',
    body: modelBody(schemas.request, read, sources),
    response: schemas.whole,
    event: schemas.event,
    eventType: dialect.framing.mediaType,
    async handle(call) {
      const response = await answer(dialect, call);
      const own = headersOf?.(call.request.id);
      const { unenforced = [], ignored = [] } = call.record;
      const { misspelt = [] } = call.body;
      // A stream that had to begin before its prompt was ready can send no more headers.
      const named = {
        ...(unenforced.length > 0 && { 'x-unenforced-keywords': toHeaderList(unenforced) }),
        ...(ignored.length > 0 && { 'x-troupe-ignored': ignored.join(', ') }),
        ...(misspelt.length > 0 && { 'x-troupe-unknown-fields': misspelt.map(toAdvice).join(', ') }),
      };
      return withHeaders(response, { ...own, ...named });
    },
  };
  return route;
}

async function answer(
  dialect: WireDialect<object, object>,
  { body: asked, request, context, record }: EngineCall<WithModel<WireRequest>>,
): ReturnType<EngineRoute['handle']> {
  const id = asked.model;
  const { signal, client: caller } = request;
  const { keepAliveMs, releases, ignored, misspelt } = asked;
  const toJson = (object: object): string => dialect.toJson?.(object) ?? JSON.stringify(object);
  const timer = new AnswerTimer(context.clock, request.receivedMs);
  if (ignored !== undefined) record.ignored = ignored;
  if (misspelt !== undefined) record.misspelt = misspelt.map(({ field }) => field);
  if (releases === true) {
    await context.library.letGo(id);
    return jsonResponse(answerReleased(dialect, asked, { modelName: id, timer }));
  }
  const open = async (): Promise<ReturnType<typeof holdCompletion>> => {
    const lease = await context.library.open(id, signal);
    record.model = context.library.listedId(id);
    if (keepAliveMs !== undefined) lease.keepFor(keepAliveMs);
    return holdCompletion(lease);
  };
  if (!asked.isStream) {
    using held = await open();
    const answered = await answerWhole(dialect, asked, held.completion, { signal, caller, modelName: id, timer });
    const { whole, usage, unenforced } = answered;
    record.unenforced = unenforced;
    recordTokens(record, usage);
    return jsonResponse(whole, {}, toJson);
  }
  const stream = answerStream(dialect, asked, { open, signal, caller, modelName: id, timer });
  const objects = async function* (): AsyncGenerator<object, void> {
    for await (const { event, objects: written } of stream.events) {
      note(record, event, context.clock.nowMs());
      // Not yield*: that waits a turn for each, even if there is none.
      for (const object of written) yield object;
    }
  };
  const { streams, kindOf } = context;
  return streamResponse(
    objects(),
    { request, record },
    { ...dialect.framing, ...streams, toJson, toErrors: (error) => stream.fail(error, kindOf) },
  );
}

/** What the record of a request tells of an event that comes at `nowMs`. */
function note(record: EngineRecord, event: CompletionEvent, nowMs: number): void {
  if (event.type === 'begin') record.unenforced = event.unenforced;
  else if (event.type === 'choice') record.firstTokenMs ??= nowMs;
  else recordTokens(record, event.usage);
}

function withHeaders(response: HttpResponse, more: Readonly<Record<string, string>>): HttpResponse {
  return { ...response, headers: { ...(response.headers as Readonly<Record<string, string>>), ...more } };
}

/** An unknown field, with the known one that it resembles. */
function toAdvice({ field, meant }: MisspeltField): string {
  return `${field} (did you mean ${meant}?)`;
}

/** Longest list of keywords in a header, in characters: proxies take 8 KB for all of them. */
const MAX_LIST = 1_024;

/** Paths in schemas, for a header: names may have any letters, so they are escaped as in URLs. */
function toHeaderList(places: readonly string[]): string {
  const listed: string[] = [];
  let length = 0;
  for (const place of places) {
    const escaped = encodeURI(place.toWellFormed()).replaceAll(',', '%2C');
    length += escaped.length + 2;
    if (length > MAX_LIST) return [...listed, `and ${places.length - listed.length} more`].join(', ');
    listed.push(escaped);
  }
  return listed.join(', ');
}
