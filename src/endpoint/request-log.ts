import { isError, toErrorData, type LogEntry } from '../base/index.js';
import type { RequestRecord } from './route.js';

/**
 * One JSON line for a request that is over. `status` 499: the client left. `notes`: what the server knows besides, never of
 * what was said.
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

/** Milliseconds as logs have them, to a tenth. */
export function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/**
 * Describes a thrown error for the log. Our own errors keep their message, which holds nothing of a prompt. Other errors give
 * only their kind and place, since messages of V8 may quote their input.
 */
export function describeFailure(thrown: unknown): Omit<LogEntry, 'event'> {
  const { code, message } = toErrorData(thrown);
  if (!isError(thrown) || thrown.name === 'AppError') return { code, message };
  const frames = thrown.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return { code, kind: thrown.name, frames: frames.slice(0, 10).map((frame) => frame.trim()) };
}
