// Trace contexts of W3C (w3.org/TR/trace-context) of requests.
import { randomBytes } from 'node:crypto';
import type { TelemetryConfig } from './telemetry-file.js';

/** The trace of one request. */
export interface RequestTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits, of the client's span. */
  readonly parentId: string | undefined;
  /** Of the request here. */
  readonly spanId: string;
  /** Of the request to the upstream. */
  readonly upstreamSpanId: string;
  /** Whether spans are sent. */
  readonly isSampled: boolean;
  /** Fields for the upstream; none where it learns nothing of the trace. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** Begins traces. */
export interface Tracer {
  /** `headers`: by name in lower case. */
  begin(headers: ReadonlyMap<string, string>): RequestTrace;
}

/** Version 00, and the known part of later versions. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MAX_FIELD = 512;
const SAMPLED = 1;

/** The client's trace context. */
export interface ParentContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Reads a field `traceparent`; undefined: it is none that may be used. */
export function parseTraceparent(text: string | undefined): ParentContext | undefined {
  if (text === undefined || text.length > MAX_FIELD) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || (version === '00' && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** The tracer of a file; undefined: nothing is traced. `random`: so many bytes. */
export function createTracer(
  config: TelemetryConfig,
  random: (size: number) => Buffer = randomBytes,
): Tracer | undefined {
  const { tracesUrl, sampleRatio, takesTraceparent, sendsTraceparent } = config;
  if (tracesUrl === undefined) return undefined;
  return {
    begin(headers) {
      const parent = takesTraceparent ? parseTraceparent(headers.get('traceparent')) : undefined;
      const bytes = random(32);
      const hex = (from: number, to: number): string => bytes.toString('hex', from, to);
      const traceId = parent?.traceId ?? hex(0, 16);
      const isSampled = parent?.isSampled ?? bytes.readUInt32BE(12) < sampleRatio * 2 ** 32;
      const upstreamSpanId = hex(24, 32);
      const fields: (readonly [string, string])[] = [];
      if (sendsTraceparent) {
        fields.push(['traceparent', `00-${traceId}-${upstreamSpanId}-0${isSampled ? 1 : 0}`]);
        // State of another trace does not apply to this one.
        if (parent === undefined && headers.has('tracestate')) fields.push(['tracestate', '']);
      }
      return { traceId, parentId: parent?.spanId, spanId: hex(16, 24), upstreamSpanId, isSampled, fields };
    },
  };
}
