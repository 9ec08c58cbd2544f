import { isError, toErrorData, type LogEntry } from '../base/index.js';
import type { RequestRecord } from './route.js';

/**
 * Writes one JSON line for an ended request. `status` 499: the client left. `notes`: further facts of the server, never
 * content of a request or answer.
 */
export function toLogLine(
  record: RequestRecord,
  status: number,
  endMs: number,
  time: string,
  notes: object = { stream: record.isStream },
): string {
  const { id, method, route = null, error } = record;
  return JSON.stringify({
    time,
    event: 'request',
    id,
    method,
    route,
    status,
    ms: roundMs(endMs - record.receivedMs),
    ...notes,
    ...(error !== undefined && { code: error.code }),
  });
}

/** Rounds milliseconds to a tenth, as logs show them. */
export function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/**
 * Describes a thrown error for the log. The product's own errors keep their message, which contains nothing of a
 * prompt. Other errors give only their kind and place, because messages of V8 may quote their input.
 */
export function describeFailure(thrown: unknown): Omit<LogEntry, 'event'> {
  const { code, message } = toErrorData(thrown);
  if (!isError(thrown) || thrown.name === 'AppError') return { code, message };
  const frames = thrown.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return { code, kind: thrown.name, frames: frames.slice(0, 10).map((frame) => frame.trim()) };
}
