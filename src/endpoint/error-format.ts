import type { ToErrorResponse } from '../http/index.js';
import type { TSchema } from '../schema/index.js';

/** How an API tells its clients of errors. */
export interface ErrorFormat {
  /** The body of a failed answer, for OpenAPI. */
  readonly schema: TSchema;
  /** The same of a path where that is another; undefined: it is not. */
  readonly schemaAt?: (path: string) => TSchema | undefined;
  readonly toErrorResponse: ToErrorResponse;
}

/**
 * How a server tells of errors by their path: as the format of the place that it is at or below, with any number of slashes
 * before it; elsewhere as `errors` does.
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
