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
 * How a server tells of errors that no route made: by the path as the route there does, also for other methods and for what
 * is below it; elsewhere as `errors` does.
 */
export function errorsByPath(
  routes: readonly { readonly path: string; readonly errors?: ErrorFormat }[],
  errors: ErrorFormat,
): ErrorFormat {
  const own = routes.flatMap(({ path, errors: format }) => (format === undefined ? [] : [{ path, format }]));
  const formatAt = (path: string | undefined): ErrorFormat =>
    own.find((each) => path === each.path || path?.startsWith(`${each.path}/`))?.format ?? errors;
  return {
    schema: errors.schema,
    toErrorResponse: (error, request) => formatAt(request?.path).toErrorResponse(error, request),
  };
}
