// Requests over time: for an account by its API, for the operator of all accounts by an operation.
import { TrafficSeries, TrafficStep } from '../../api/index.js';
import type { PaidRequests, TrafficQuery } from '../../billing/index.js';
import { planSeries, showSeries, sumSpans, type Span, type RollupStep } from '../../metering/index.js';
import { Type, type Static } from '../../schema/index.js';
import { readTimes, timeFields } from './time-range.js';

/** The time and the steps of a report. */
export const trafficFields = {
  ...timeFields,
  step: Type.Optional(Type.Enum(TrafficStep.enum, { description: 'Absent: as makes a few hundred points at most.' })),
};

/** The parameters of a report, and what it is about: one account, provider or model, or all. */
export interface TrafficAsked extends Pick<TrafficQuery, 'accountId' | 'provider' | 'model'> {
  readonly from?: string;
  readonly to?: string;
  readonly step?: RollupStep;
}

/** A report, and the sum of its time, whose counts by status and by error code it leaves out. */
export interface TrafficReport {
  readonly series: Static<typeof TrafficSeries>;
  readonly total: Span;
}

/** Counts requests by time. Errors: `invalid_value`. */
export async function reportTraffic(
  requests: Pick<PaidRequests, 'traffic'>,
  { from, to, step: wanted, ...subject }: TrafficAsked,
  nowMs: number,
): Promise<TrafficReport> {
  const times = readTimes({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) }, nowMs);
  const isPart = Object.values(subject).some((name) => name !== undefined);
  const steps: readonly RollupStep[] = isPart ? ['hour', 'day'] : ['minute', 'hour', 'day'];
  const plan = planSeries({ ...times, ...(wanted !== undefined && { step: wanted }) }, steps, nowMs);
  const { step, firstMs: fromMs, toMs } = plan;
  const { spans, isComplete } = await requests.traffic({ ...subject, step, fromMs, toMs });
  const spend = spans.flatMap(({ startMs, costs }) =>
    Array.from(costs, ([currency, costMicro]) => ({ startMs, currency, costMicro })),
  );
  return { series: showSeries(plan, spans, spend, isComplete), total: sumSpans(spans) };
}
