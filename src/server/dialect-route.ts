import { holdCompletion } from '../pool/index.js';
import { answerStream, answerWhole, dialects, type WireDialect } from '../wire/index.js';
import { noteTokens } from './request-record.js';
import { requireModel } from './require-model.js';
import { jsonResponse } from './respond.js';
import type { ApiRoute, RouteCall } from './route.js';
import { streamResponse } from './stream-response.js';

/** What an endpoint says besides its dialect. */
interface Endpoint extends Pick<ApiRoute, 'path' | 'summary' | 'operation'> {
  readonly dialect: keyof typeof dialects;
}

/** An endpoint that answers in a wire's dialect, whole or as a stream, as the body asks; what `Accept` says does not matter. */
export function dialectRoute({ dialect: name, ...endpoint }: Endpoint): ApiRoute {
  const { schemas } = dialects[name];
  return {
    ...endpoint,
    method: 'POST',
    request: schemas.request,
    response: schemas.whole,
    event: schemas.event,
    handle: async (call) => answer(dialects[name], name, call),
  };
}

async function answer(
  dialect: WireDialect<object, object, object>,
  name: keyof typeof dialects,
  { request, context, record }: RouteCall,
): ReturnType<ApiRoute['handle']> {
  const asked = dialect.toRequest(await context.bodies.read(name, request));
  const id = requireModel(asked);
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
  const events = answerStream(dialect, asked, {
    open,
    signal,
    caller,
    modelName: id,
    onFirst: () => (record.firstTokenMs = context.clock.nowMs()),
    onUsage: (usage) => noteTokens(record, usage),
  });
  return streamResponse(events, dialect, { request, context, record });
}
