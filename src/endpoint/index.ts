// The shared parts of every HTTP server: routes, one place for errors, request records, metrics, OpenAPI, event
// streams. It has no endpoint of a product, and of the API formats only the error format.
export {
  bytesBody,
  jsonBody,
  parsedBody,
  rawBody,
  type BodyType,
  type BytesBody,
  type FieldSources,
  type JsonBody,
} from './body-type.js';
export { createBodyReader, type BodyReader } from './body-reader.js';
export { errorsByPath, type ErrorFormat } from './error-format.js';
export { endpointCodes } from './errors.js';
export { createHandler, type EndedRequest, type HandlerOptions } from './handler.js';
export {
  guardHandler,
  isOwnOrigin,
  toPageUrl,
  withSafe,
  type GuardOptions,
  type LoopbackPlace,
} from './loopback-guard.js';
export { renderListener } from './listener-metrics.js';
export { createErrorFormat, type ErrorBodies } from './create-error-format.js';
export { openApiRoute, type ApiTitle } from './openapi.js';
export { answerWith, readPageFiles, type PageFile, type PageFiles } from './page-files.js';
export { createMetricsRegistry, heading, sample, type Labels, type MetricsRegistry } from './prometheus.js';
export { describeFailure, roundMs, toLogLine } from './request-log.js';
export { createQueryReader } from './read-query.js';
export { jsonResponse } from './respond.js';
export { shownPath, type HeadCall, type RequestRecord, type Route, type RouteCall } from './route.js';
export { streamResponse, type StreamFormat, type StreamTimes } from './stream-response.js';
