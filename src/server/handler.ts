import { AppError, type ErrorData } from '../base/index.js';
import {
  createRouter,
  errorResponse,
  isWatchable,
  type Handler,
  type HttpRequest,
  type HttpResponse,
} from '../http/index.js';
import type { RequestRecord } from './request-record.js';
import { toAnswerError } from './respond.js';
import type { ApiRoute, ServerContext } from './route.js';

/** Hears of a request when its answer is over. `failure`: what was thrown, where that is for nobody but the log. */
export type OnEnd = (record: RequestRecord, status: number, route: ApiRoute | undefined, failure?: unknown) => void;

/** Status in the log of a request whose client left before the end. Source: nginx. */
const CLIENT_LEFT = 499;

/** The routes as one handler: the only place where what a route throws becomes an answer. */
export function createHandler(routes: readonly ApiRoute[], context: ServerContext, onEnd: OnEnd): Handler {
  const answer = async (
    request: HttpRequest,
    route: ApiRoute | undefined,
    handle: (record: RequestRecord) => Promise<HttpResponse>,
  ): Promise<HttpResponse> => {
    const { id, method, receivedMs } = request;
    const record: RequestRecord = { id, method, route: route?.path, receivedMs };
    try {
      const response = await handle(record);
      const { body, status } = response;
      if (typeof body === 'object' && !(body instanceof Uint8Array)) {
        const end = (left: boolean): void => onEnd(record, left ? CLIENT_LEFT : status, route);
        if (!isWatchable(body)) return { ...response, body: new WatchedBody(body, end) };
        body.watch(end);
        return response;
      }
      onEnd(record, status, route);
      return response;
    } catch (thrown) {
      record.error = toAnswerError(thrown, request);
      const response = errorResponse(record.error);
      onEnd(record, request.signal.aborted ? CLIENT_LEFT : response.status, route, thrown);
      return response;
    }
  };

  return createRouter(
    routes.map((route) => ({
      method: route.method,
      path: route.path,
      handle: (request) => answer(request, route, (record) => route.handle({ request, context, record })),
    })),
    (request) => answer(request, undefined, () => Promise.reject(noSuchPath(request))),
    (request, allow) =>
      answer(request, undefined, async (record) => {
        record.error = wrongMethod(request, allow);
        return errorResponse(record.error, { allow });
      }),
  );
}

/** A body of which `onEnd` hears when it is over, and whether its reader left before. */
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

function noSuchPath({ method }: HttpRequest): AppError {
  return new AppError(
    'not_found_error',
    `there is nothing under this path for ${method}; GET /openapi.json lists the paths`,
  );
}

function wrongMethod({ method }: HttpRequest, allow: string): ErrorData {
  const message = `${method} is not allowed here; allowed are ${allow}`;
  return { code: 'method_not_allowed', message, details: {} };
}
