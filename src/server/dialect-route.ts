import { jsonResponse, streamResponse } from '../endpoint/index.js';
import { holdCompletion } from '../pool/index.js';
import {
  answerReleased,
  answerStream,
  answerWhole,
  AnswerTimer,
  dialects,
  type WireDialect,
  type WireRequest,
} from '../wire/index.js';
import { noteTokens } from './engine-record.js';
import type { EngineCall, EngineRoute } from './engine-route.js';
import { modelBody, type WithModel } from './model-body.js';

/** What an endpoint says besides its dialect. */
interface Endpoint extends Pick<EngineRoute, 'path' | 'summary' | 'operation'> {
  readonly dialect: keyof typeof dialects;
}

/** An endpoint that answers in a wire's dialect, whole or as a stream, as the body asks; what `Accept` says does not matter. */
export function dialectRoute({ dialect: name, ...endpoint }: Endpoint): EngineRoute {
  const dialect: WireDialect<object, object, object> = dialects[name];
  const { schemas, sources } = dialect;
  const parse = (value: unknown, texts: Readonly<Record<string, string>>): WireRequest =>
    dialect.toRequest(dialect.parse(value, texts));
  const route: EngineRoute<WithModel<WireRequest>> = {
    ...endpoint,
    method: 'POST',
    body: modelBody(schemas.request, parse, sources),
    response: schemas.whole,
    event: schemas.event,
    eventType: dialect.framing.mediaType,
    handle: async (call) => answer(dialect, call),
  };
  return route;
}

async function answer(
  dialect: WireDialect<object, object, object>,
  { body: asked, request, context, record }: EngineCall<WithModel<WireRequest>>,
): ReturnType<EngineRoute['handle']> {
  const id = asked.model;
  const { signal, client: caller } = request;
  const { keepAliveMs, releases, ignored } = asked;
  const toJson = (object: object): string => dialect.toJson?.(object) ?? JSON.stringify(object);
  const timer = new AnswerTimer(context.clock, request.receivedMs);
  if (ignored !== undefined) record.ignored = ignored;
  if (releases === true) {
    await context.library.letGo(id);
    return jsonResponse(answerReleased(dialect, asked, { modelName: id, timer }));
  }
  const open = async (): Promise<ReturnType<typeof holdCompletion>> => {
    const lease = await context.library.open(id, signal);
    record.model = id;
    if (keepAliveMs !== undefined) lease.keepFor(keepAliveMs);
    return holdCompletion(lease);
  };
  if (!asked.isStream) {
    using held = await open();
    const { whole, usage } = await answerWhole(dialect, asked, held.completion, {
      signal,
      caller,
      modelName: id,
      timer,
    });
    noteTokens(record, usage);
    return jsonResponse(whole, toJson);
  }
  const events = answerStream(dialect, asked, {
    open,
    signal,
    caller,
    modelName: id,
    timer,
    onFirst: () => (record.firstTokenMs = context.clock.nowMs()),
    onUsage: (usage) => noteTokens(record, usage),
  });
  const { framing, toError } = dialect;
  const { streams, kindOf } = context;
  return streamResponse(
    events,
    { request, record },
    { ...framing, ...streams, toJson, toError: (error) => toError(error, kindOf) },
  );
}
