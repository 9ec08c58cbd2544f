// Traces and metrics for OpenTelemetry over OTLP/HTTP with JSON. It has names, codes, counts and times, and no content.
export { telemetryCodes } from './errors.js';
export { toRequestSpans, type OtlpSpan } from './request-spans.js';
export { createTelemetry, type Telemetry } from './telemetry.js';
export { withTelemetryEnv, type TelemetryEnv } from './telemetry-env.js';
export {
  checkTelemetryUrl,
  TELEMETRY_OFF,
  telemetryField,
  toTelemetry,
  type TelemetryConfig,
} from './telemetry-file.js';
export { createTracer, type RequestTrace, type Tracer } from './trace-context.js';
