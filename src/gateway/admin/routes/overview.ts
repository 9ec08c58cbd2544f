import { sleep } from '../../../base/index.js';
import { emptySpan, showTotals, STEP_MS, startOf, sumSpans } from '../../../metering/index.js';
import type { RuntimeState } from '../../serving/gateway-state.js';
import { toTime } from '../../operations/shown-key.js';
import type { AdminContext } from '../admin-context.js';
import { adminRoute, answer, type AdminSection } from '../admin-route.js';
import { eventStream } from '../event-stream.js';
import { Health, Overview, OverviewEvent } from '../schemas/overview.js';
import { showSpend, showUsed } from '../shown.js';
import { showPart } from './metrics.js';
import { namesOf } from './usage.js';

/** Between two overviews of a live stream, in milliseconds. */
const LIVE_MS = 2_000;
/** Minutes of the chart. */
const MINUTES = 60;
/** Keys and models that are named. */
const TOP = 5;

const show = adminRoute({
  method: 'GET',
  path: '/admin/api/overview',
  summary:
    'What an operator looks at first: traffic, errors, times, spend, the keys and models that are used most, health.',
  response: Overview,
  handle: async ({ context }) => answer(await toOverview(context)),
});

const live = adminRoute({
  method: 'GET',
  path: '/admin/api/overview/events',
  summary: 'The same every two seconds, until the session ends.',
  response: OverviewEvent,
  event: OverviewEvent,
  handle: (call) => eventStream(call, (signal) => overviews(call.context, signal)),
});

const health = adminRoute({
  method: 'GET',
  path: '/admin/api/health',
  summary: 'Whether the gateway does its work, and what keeps it from that.',
  response: Health,
  async handle({ context }) {
    const runtimes = context.health().map(showRuntime);
    const config = showConfig(context);
    const numHealthy = runtimes.filter(({ healthy }) => healthy).length;
    const isDown = runtimes.length > 0 && numHealthy === 0;
    const isWhole = numHealthy === runtimes.length && config.in_use;
    return answer({ status: isDown ? 'down' : isWhole ? 'ok' : 'degraded', runtimes, config });
  },
});

async function* overviews(context: AdminContext, signal: AbortSignal) {
  while (!signal.aborted) {
    yield { type: 'overview', overview: await toOverview(context) } as const;
    context.heap.look();
    await sleep(LIVE_MS, context.clock, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}

async function toOverview(context: AdminContext): Promise<Overview> {
  const { meter, now, config } = context;
  const { rollups, pages } = meter;
  await rollups.refresh();
  const [nowMs, running] = [now(), await context.running()];
  const firstMinute = startOf('minute', nowMs) - (MINUTES - 1) * STEP_MS.minute;
  const minutes = rollups.spans('minute', '', firstMinute, nowMs + 1);
  const firstHour = startOf('hour', nowMs) - 23 * STEP_MS.hour;
  const byStart = new Map(minutes.map((span) => [span.startMs, span]));
  const top = pages.topKeys({ window: 'day', limit: TOP });
  const names = namesOf(top.keys, meter);
  const parts = rollups.parts('hour', 'm:', firstHour, nowMs + 1);
  return {
    time: toTime(nowMs),
    running_requests: running,
    last_hour: showTotals(sumSpans(minutes)),
    last_day: showTotals(sumSpans(rollups.spans('hour', '', firstHour, nowMs + 1))),
    minutes: Array.from({ length: MINUTES }, (_, i) => {
      const startMs = firstMinute + i * STEP_MS.minute;
      return { start: toTime(startMs), ...showTotals(byStart.get(startMs) ?? emptySpan()) };
    }),
    spend_today: showSpend(top.spend),
    top_keys: top.keys.map((used) => showUsed(used, names)),
    top_models: parts
      .toSorted((a, b) => b.requests - a.requests)
      .slice(0, TOP)
      .map(showPart),
    runtimes: context.health().map(showRuntime),
    keys: pages.keyCounts(),
    models: config().models.length,
    config: showConfig(context),
  };
}

function showRuntime({ id, kind, isHealthy, trouble, reason }: RuntimeState) {
  return { id, kind, healthy: isHealthy, trouble: trouble ?? null, reason: reason ?? null };
}

function showConfig({ refused }: AdminContext) {
  const reason = refused();
  return { in_use: reason === undefined, refused: reason ?? null };
}

/** The overview, live too, and health. */
export const overview: AdminSection = [show, live, health];
