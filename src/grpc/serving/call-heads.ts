// Reads the head of a call: its id and its deadline.
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http2';

const REQUEST_ID = /^[\w.:-]{1,128}$/;
/** 20 days in milliseconds. @grpc/grpc-js computes in 32 bits, so a later deadline would expire immediately. */
const FARTHEST_MS = 20 * 24 * 3_600_000;
const UNITS_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/** The request id of a call, or a new id. Undefined: the given id is invalid. */
export function toRequestId(values: readonly string[]): string | undefined {
  const [first, ...others] = values;
  if (first === undefined) return randomUUID();
  return others.length === 0 && REQUEST_ID.test(first) ? first : undefined;
}

/** Removes a deadline that is weeks away. Source: gRPC over HTTP2, Timeout. */
export function dropFarDeadline(headers: IncomingHttpHeaders): void {
  const text = headers['grpc-timeout'];
  const [, digits, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(String(text)) ?? [];
  if (digits !== undefined && Number(digits) * (UNITS_MS[unit] ?? 0) > FARTHEST_MS) delete headers['grpc-timeout'];
}

/** The size of a head as HTTP/2 counts it. Source: RFC 9113, 6.5.2. */
export function headBytes(headers: IncomingHttpHeaders): number {
  return Object.entries(headers).reduce((sum, [name, value]) => {
    const values = Array.isArray(value) ? value : [value ?? ''];
    return sum + values.reduce((all, text) => all + name.length + text.length + 32, 0);
  }, 0);
}
