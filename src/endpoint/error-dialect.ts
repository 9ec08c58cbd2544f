import type { ErrorData } from '../base/index.js';
import type { ToErrorResponse } from '../http/index.js';
import type { TSchema } from '../schema/index.js';

/** How an API tells its clients of errors. Each wire has its own. */
export interface ErrorDialect {
  /** The body of a failed answer, for OpenAPI. */
  readonly schema: TSchema;
  readonly toErrorResponse: ToErrorResponse;
  /** What an event stream that has begun says in the place of its next event. */
  readonly toErrorEvent: (error: ErrorData) => string;
}
