import { createHash } from 'node:crypto';
import { showKey, type KeyRecord, type Meter } from '../../metering/index.js';

/** A key of the gateway as JSON, at a terminal and on a page. */
export function toShownKey(record: KeyRecord, meter: Meter) {
  const used = (window: 'day' | 'month' | 'total'): number => Number(meter.pages.usedByKey(record.id, window).tokens);
  const { id, origin, lastUsedAtMs = null, graces } = record;
  const { runningRequests, budgets } = meter.usageOf(id);
  const shown = showKey(
    {
      ...record,
      lastUsedAtMs,
      graceUntilMs: graces.length === 0 ? null : Math.max(...graces.map(({ untilMs }) => untilMs)),
      budgets,
      used: { day: used('day'), month: used('month'), total: used('total') },
      now: { rates: meter.limitState(id), runningRequests },
    },
    { origin },
  );
  return { ...shown, limits: { ...shown.limits, running_requests: runningRequests }, etag: etagOfKey(record) };
}

/** Changes with everything that an operator can change of a key, and not with its use. */
export function etagOfKey({ name, prefix, models, expiresAtMs, limits, state }: KeyRecord): string {
  const text = JSON.stringify([name, prefix, models, expiresAtMs, state, limits], (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** As RFC 3339 writes it. */
export function toTime(unixMs: number): string {
  return new Date(unixMs).toISOString();
}
