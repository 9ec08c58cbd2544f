import { AppError, type ErrorData } from '../base/index.js';
import {
  createRouter,
  hasClientLeft,
  isWatchable,
  readBody,
  refuseBody,
  streamBody,
  type Decision,
  type Handler,
  type HttpHead,
  type HttpResponse,
} from '../http/index.js';
import type { BodyReader } from './body-reader.js';
import type { ErrorFormat } from './error-format.js';
import { toAnswerError } from './respond.js';
import { shownPath, type HeadCall, type RequestRecord, type Route } from './route.js';

/** A request whose answer has ended. */
export interface EndedRequest<R, Notes extends RequestRecord> {
  readonly record: Notes;
  /** The sent status, or 499 if the client left before the end. Source: nginx. */
  readonly status: number;
  /** Undefined: no route matches the request. */
  readonly route: R | undefined;
  /** The thrown error if only the log receives it. */
  readonly failure?: unknown;
}

/** Options of a handler. */
export interface HandlerOptions<Context, R, Notes extends RequestRecord> {
  readonly routes: readonly R[];
  readonly context: Context;
  /** The error format of routes without their own. */
  readonly errors: ErrorFormat;
  readonly bodies: BodyReader;
  /** Extends the record of a request with the server's own fields, which are still empty. */
  readonly toRecord: (record: RequestRecord) => Notes;
  readonly onEnd: (ended: EndedRequest<R, Notes>) => void;
}

const CLIENT_LEFT = 499;

/** Combines the routes into one handler, the only place where a route's error becomes an answer. */
export function createHandler<Context, Notes extends RequestRecord, R extends Route<Context, unknown, Notes>>(
  options: HandlerOptions<Context, R, Notes>,
): Handler {
  const { context, bodies, onEnd } = options;
  const find = createRouter(options.routes.map((route) => ({ method: route.method, path: route.path, target: route })));

  const toCall = (request: HttpHead, route?: R, params: HeadCall<Context>['params'] = {}): HeadCall<Context, Notes> => {
    const { id, method, receivedMs } = request;
    const record = options.toRecord({ id, method, route: route && shownPath(route), receivedMs });
    return { request, params, context, record };
  };

  const fail = (thrown: unknown, { request, record }: HeadCall<Context, Notes>, route?: R): HttpResponse => {
    record.error = toAnswerError(thrown, request);
    const response = (route?.errors ?? options.errors).toErrorResponse(record.error, request);
    onEnd({ record, status: hasClientLeft(request.signal) ? CLIENT_LEFT : response.status, route, failure: thrown });
    return response;
  };

  const answer = async (
    call: HeadCall<Context, Notes>,
    route: R | undefined,
    handle: () => Promise<HttpResponse>,
  ): Promise<HttpResponse> => {
    const { record } = call;
    try {
      const response = await handle();
      const { body, status } = response;
      if (typeof body === 'object' && !(body instanceof Uint8Array)) {
        const end = (left: boolean): void => onEnd({ record, status: left ? CLIENT_LEFT : status, route });
        if (!isWatchable(body)) return { ...response, body: new WatchedBody(body, end) };
        body.watch(end);
        return response;
      }
      onEnd({ record, status, route });
      return response;
    } catch (thrown) {
      return fail(thrown, call, route);
    }
  };

  const refuseMethod = async (call: HeadCall<Context, Notes>, allow: string): Promise<HttpResponse> => {
    call.record.error = wrongMethod(call.request, allow);
    const { status, headers, body } = options.errors.toErrorResponse(call.record.error, call.request);
    return { status, headers: { ...headers, allow }, body };
  };

  const decide = (call: HeadCall<Context, Notes>, route: R): Decision => {
    const { body } = route;
    if (body?.take === 'stream') {
      return streamBody((request) =>
        answer(call, route, () => route.handle({ ...call, body: body.wrap(request.body) })),
      );
    }
    return readBody(
      (request) =>
        answer(call, route, async () => {
          if (body?.take === 'bytes') return route.handle({ ...call, body: body.wrap(request.body) });
          const value = body === undefined ? undefined : await bodies.read(body, request);
          return route.handle({ ...call, body: value });
        }),
      body?.maxBytes === undefined ? {} : { maxBytes: body.maxBytes },
    );
  };

  /** Answers an error of `before` without reading the body. */
  const admit = (call: HeadCall<Context, Notes>, route: R): Decision | Promise<Decision> => {
    const refuse = (thrown: unknown): Decision => refuseBody(fail(thrown, call, route));
    try {
      const admitted = route.before?.(call);
      if (admitted === undefined) return decide(call, route);
      return admitted.then(() => decide(call, route), refuse);
    } catch (thrown) {
      return refuse(thrown);
    }
  };

  return (request) => {
    const found = find(request.method, request.path);
    // Reads the body of a request without a route too, so oversized and broken bodies get the same errors everywhere.
    if (found === undefined) {
      return readBody(() => answer(toCall(request), undefined, () => Promise.reject(noSuchPath(request))));
    }
    if ('allow' in found) {
      if (request.method === 'OPTIONS') return readBody(async () => ({ status: 204, headers: { allow: found.allow } }));
      const call = toCall(request);
      return readBody(() => answer(call, undefined, () => refuseMethod(call, found.allow)));
    }
    const { target: route, params } = found;
    // The listener answers a CORS preflight itself, even if a route takes every method.
    if (route.method === '*' && isPreflight(request)) return readBody(async () => ({ status: 204 }));
    const call = toCall(request, route, params);
    return admit(call, route);
  };
}

/** Source: the Fetch Standard, CORS-preflight request. */
function isPreflight({ method, headers }: HttpHead): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method');
}

function noSuchPath({ method }: HttpHead): AppError {
  return new AppError(
    'not_found_error',
    `there is nothing under this path for ${method}; GET /openapi.json lists the paths`,
  );
}

function wrongMethod({ method }: HttpHead, allow: string): ErrorData {
  const message = `${method} is not allowed here; allowed are ${allow}`;
  return { code: 'method_not_allowed', message, details: {} };
}

/** A body that calls `onEnd` once at its end, and reports whether its reader left early. */
class WatchedBody implements AsyncIterableIterator<string | Uint8Array> {
  readonly #source: AsyncIterator<string | Uint8Array>;
  readonly #onEnd: (left: boolean) => void;
  #isOver = false;

  constructor(body: AsyncIterable<string | Uint8Array>, onEnd: (left: boolean) => void) {
    this.#source = body[Symbol.asyncIterator]();
    this.#onEnd = onEnd;
  }

  next(): Promise<IteratorResult<string | Uint8Array>> {
    return this.#source.next().then(
      (result) => {
        if (result.done === true) this.#end(false);
        return result;
      },
      (error: unknown) => {
        this.#end(true);
        throw error;
      },
    );
  }

  async return(): Promise<IteratorResult<string | Uint8Array>> {
    this.#end(true);
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #end(left: boolean): void {
    if (!this.#isOver) this.#onEnd(left);
    this.#isOver = true;
  }
}
