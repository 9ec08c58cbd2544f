// Spans of a request in OTLP's JSON (opentelemetry-proto 1, trace.proto), with the names of OpenTelemetry's conventions for HTTP and for
// generative AI (opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans). No text of a request or an answer is in them.
import { toAttributes, type OtlpAttribute, type AttributeValue } from './otlp-attributes.js';
import type { RequestTrace } from './trace-context.js';

/** Facts of a finished request. Times on one clock, in milliseconds. */
export interface TracedRequest {
  readonly trace: RequestTrace;
  readonly method: string;
  /** The declared name, not the sent one. */
  readonly route: string | undefined;
  readonly status: number;
  readonly errorCode: string | undefined;
  readonly receivedMs: number;
  /** When it was sent on; undefined: it was not. */
  readonly sentMs: number | undefined;
  readonly firstByteMs: number | undefined;
  readonly endMs: number;
  /** When it ended, in milliseconds since 1970. */
  readonly endUnixMs: number;
  readonly operation: string | undefined;
  readonly model: string | undefined;
  /** The upstream's name of the model. */
  readonly upstreamModel: string | undefined;
  /** Its name in the file; undefined: none was asked. */
  readonly upstream: string | undefined;
  readonly attempts: number | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cachedTokens: number | undefined;
  /** Ids of a key and an account: never a secret. */
  readonly keyId: string | undefined;
  readonly accountId: string | undefined;
}

/** A span as OTLP has it. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code: number };
}

/** Source: trace.proto, SpanKind and StatusCode. */
const SERVER = 2;
const CLIENT = 3;
const UNSET = 0;
const ERROR = 2;
const FIRST_ERROR = 500;

/** The span of a request here, and where it was sent to an upstream that of the request there. */
export function toRequestSpans(request: TracedRequest): readonly OtlpSpan[] {
  const { trace, method, route, status, errorCode, operation, model, upstream, sentMs, receivedMs, endMs } = request;
  const at = (ms: number): string => toNanos(request.endUnixMs - (endMs - ms));
  const isError = status >= FIRST_ERROR || (errorCode !== undefined && status < 400);
  const error: Record<string, AttributeValue | undefined> = {
    'error.type': errorCode ?? (isError ? String(status) : undefined),
  };
  const common = { traceId: trace.traceId, endTimeUnixNano: at(endMs), status: { code: isError ? ERROR : UNSET } };
  const server: OtlpSpan = {
    ...common,
    spanId: trace.spanId,
    ...(trace.parentId !== undefined && { parentSpanId: trace.parentId }),
    name: route === undefined ? method : `${method} ${route}`,
    kind: SERVER,
    startTimeUnixNano: at(receivedMs),
    attributes: toAttributes({
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'troupe.key.id': request.keyId,
      'troupe.account.id': request.accountId,
      ...error,
    }),
  };
  if (operation === undefined || upstream === undefined || model === undefined) return [server];
  const { firstByteMs } = request;
  const client: OtlpSpan = {
    ...common,
    spanId: trace.upstreamSpanId,
    parentSpanId: trace.spanId,
    name: `${operation} ${model}`,
    kind: CLIENT,
    startTimeUnixNano: at(sentMs ?? receivedMs),
    attributes: toAttributes({
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': upstream,
      'gen_ai.request.model': model,
      'gen_ai.response.model': request.upstreamModel,
      'gen_ai.usage.input_tokens': request.inputTokens,
      'gen_ai.usage.output_tokens': request.outputTokens,
      'gen_ai.usage.cache_read.input_tokens': request.cachedTokens,
      'gen_ai.response.time_to_first_chunk':
        firstByteMs === undefined ? undefined : Math.max(0, firstByteMs - receivedMs) / 1000,
      'troupe.attempts': request.attempts,
      ...error,
    }),
  };
  return [server, client];
}

/** Nanoseconds since 1970 as a text: they exceed the integers that a number holds exactly. */
export function toNanos(unixMs: number): string {
  return `${BigInt(Math.round(unixMs * 1000))}000`;
}
