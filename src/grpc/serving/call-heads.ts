// Reads the head of a call: its id and its deadline.
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http2';

const REQUEST_ID = /^[\w.:-]{1,128}$/;
/** @grpc/grpc-js reckons in 32 bits: a deadline that is farther off would have passed already. In ms: 20 days. */
const FARTHEST_MS = 20 * 24 * 3_600_000;
const UNITS_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/** The id that a call brings, or a new one. Undefined: it brings one that is none. */
export function toRequestId(values: readonly string[]): string | undefined {
  const [first, ...others] = values;
  if (first === undefined) return randomUUID();
  return others.length === 0 && REQUEST_ID.test(first) ? first : undefined;
}

/** A deadline in weeks is none. Source: gRPC over HTTP2, Timeout. */
export function dropFarDeadline(headers: IncomingHttpHeaders): void {
  const text = headers['grpc-timeout'];
  const [, digits, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(String(text)) ?? [];
  if (digits !== undefined && Number(digits) * (UNITS_MS[unit] ?? 0) > FARTHEST_MS) delete headers['grpc-timeout'];
}

/** Bytes of a head as HTTP/2 counts them. Source: RFC 9113, 6.5.2. */
export function headBytes(headers: IncomingHttpHeaders): number {
  return Object.entries(headers).reduce((sum, [name, value]) => {
    const values = Array.isArray(value) ? value : [value ?? ''];
    return sum + values.reduce((all, text) => all + name.length + text.length + 32, 0);
  }, 0);
}
