import type { Handler, HttpRequest, HttpResponse } from './message.js';

/** One endpoint. */
export interface Route {
  /** Upper case. A GET route answers HEAD too. */
  readonly method: string;
  /** `/v1/models`, or `/v1/models/{id}`: the last part in braces takes the rest of the path, slashes and all. */
  readonly path: string;
  readonly handle: Handler;
}

/** The routes of one path. */
interface Place {
  readonly exact: string;
  readonly param: string | undefined;
  readonly handlers: Map<string, Handler>;
}

/**
 * The handler that gives each request to its route. Exact paths come before those with a parameter, and longer ones
 * before shorter. A parameter is percent-decoded, so that `%2F` and `/` are alike; one that cannot be decoded, or is
 * empty, is no match. Several slashes count as one, and one at the end as none, since base URLs end with one or lack it.
 * OPTIONS is answered with 204 and `Allow`.
 */
export function createRouter(
  routes: readonly Route[],
  notFound: Handler,
  methodNotAllowed: (request: HttpRequest, allow: string) => Promise<HttpResponse>,
): Handler {
  const places = toPlaces(routes);
  return (request) => {
    const path = withoutSpareSlashes(request.path);
    for (const { exact, param, handlers } of places) {
      const params = match(path, exact, param);
      if (params === undefined) continue;
      const handle = handlers.get(request.method === 'HEAD' ? 'GET' : request.method);
      if (handle !== undefined) return handle(param === undefined ? request : { ...request, params });
      const allow = allowOf(handlers);
      if (request.method !== 'OPTIONS') return methodNotAllowed(request, allow);
      return Promise.resolve({ status: 204, headers: { allow } });
    }
    return notFound(request);
  };
}

function toPlaces(routes: readonly Route[]): readonly Place[] {
  const byPath = new Map<string, Place>();
  for (const { method, path, handle } of routes) {
    const [, prefix, param] = /^(.*)\{(\w+)\}$/.exec(path) ?? [];
    const place = byPath.get(path) ?? { exact: prefix ?? path, param, handlers: new Map<string, Handler>() };
    place.handlers.set(method, handle);
    byPath.set(path, place);
  }
  const rank = (place: Place): number => (place.param === undefined ? Infinity : place.exact.length);
  return [...byPath.values()].toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(b) - rank(a)));
}

function withoutSpareSlashes(path: string): string {
  return path.includes('//') || path.endsWith('/') ? `/${path.split('/').filter(Boolean).join('/')}` : path;
}

function match(path: string, exact: string, param: string | undefined): Record<string, string> | undefined {
  if (param === undefined) return path === exact ? {} : undefined;
  if (!path.startsWith(exact) || path.length === exact.length) return undefined;
  try {
    return { [param]: decodeURIComponent(path.slice(exact.length)) };
  } catch {
    return undefined;
  }
}

function allowOf(handlers: ReadonlyMap<string, Handler>): string {
  const methods = [...handlers.keys()];
  if (handlers.has('GET')) methods.push('HEAD');
  return [...methods, 'OPTIONS'].join(', ');
}
