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
