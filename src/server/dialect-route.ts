import { jsonResponse, streamResponse } from '../endpoint/index.js';
import type { HttpResponse } from '../http/index.js';
import { holdCompletion } from '../pool/index.js';
import {
  answerStream,
  answerWhole,
  dialects,
  type EventWriter,
  type WireDialect,
  type WireRequest,
} from '../wire/index.js';
import { noteTokens } from './engine-record.js';
import type { EngineCall, EngineRoute } from './engine-route.js';
import { modelBody, type WithModel } from './model-body.js';

/** What an endpoint says besides its dialect. */
interface Endpoint extends Pick<EngineRoute, 'path' | 'summary' | 'operation' | 'errorsOf'> {
  readonly dialect: keyof typeof dialects;
  /** Headers of good answers by the id of the request. */
  readonly headersOf?: (id: string) => Readonly<Record<string, string>>;
}

/** An endpoint that answers in a wire's dialect, whole or as a stream, as the body asks; what `Accept` says does not matter. */
export function dialectRoute({ dialect: name, headersOf, ...endpoint }: Endpoint): EngineRoute {
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
    async handle(call) {
      const response = await answer(dialect, call);
      return headersOf === undefined ? response : withHeaders(response, headersOf(call.request.id));
    },
  };
  return route;
}

async function answer(
  dialect: WireDialect<object, object, object>,
  { body: asked, request, context, record }: EngineCall<WithModel<WireRequest>>,
): ReturnType<EngineRoute['handle']> {
  const id = asked.model;
  const { signal, client: caller } = request;
  const open = async (): Promise<ReturnType<typeof holdCompletion>> => {
    const lease = await context.library.open(id, signal);
    record.model = id;
    return holdCompletion(lease);
  };
  if (!asked.isStream) {
    using held = await open();
    const { whole, usage } = await answerWhole(dialect, asked, held.completion, { signal, caller, modelName: id });
    noteTokens(record, usage);
    return jsonResponse(whole);
  }
  let writer: Pick<EventWriter<object>, 'fail'> = {};
  const events = answerStream(dialect, asked, {
    open,
    signal,
    caller,
    modelName: id,
    onFirst: () => (record.firstTokenMs = context.clock.nowMs()),
    onWriter: (opened) => (writer = opened),
    onUsage: (usage) => noteTokens(record, usage),
  });
  const { framing, toError } = dialect;
  const { streams, kindOf } = context;
  return streamResponse(
    events,
    { request, record },
    { ...framing, ...streams, toErrors: (error) => writer.fail?.(error, kindOf) ?? [toError(error, kindOf)] },
  );
}

function withHeaders(response: HttpResponse, more: Readonly<Record<string, string>>): HttpResponse {
  return { ...response, headers: { ...(response.headers as Readonly<Record<string, string>>), ...more } };
}
