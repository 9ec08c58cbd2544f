import type { ToErrorResponse } from '../http/index.js';
import type { TSchema } from '../schema/index.js';

/** The format of an API's errors. */
export interface ErrorFormat {
  /** The schema of an error's body, for OpenAPI. */
  readonly schema: TSchema;
  /** The schema at a path that has a different one; undefined: the path uses `schema`. */
  readonly schemaAt?: (path: string) => TSchema | undefined;
  readonly toErrorResponse: ToErrorResponse;
}

/**
 * Chooses the error format by the path of the request. A path at or below one of `places`, after any number of slashes,
 * uses the format of that place. Other paths use `errors`.
 */
export function errorsByPath(places: Readonly<Record<string, ErrorFormat>>, errors: ErrorFormat): ErrorFormat {
  const known = Object.entries(places);
  const formatAt = (path = ''): ErrorFormat => {
    const plain = path.replace(/^\/+/, '/');
    return known.find(([place]) => plain === place || plain.startsWith(`${place}/`))?.[1] ?? errors;
  };
  return {
    schema: errors.schema,
    schemaAt: (path) => formatAt(path).schema,
    toErrorResponse: (error, request) => formatAt(request?.path).toErrorResponse(error, request),
  };
}
