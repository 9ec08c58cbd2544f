import { statfs } from 'node:fs/promises';
import { getHeapStatistics } from 'node:v8';
import { adminRoute, answer, type AdminSection } from '../admin-route.js';
import { audited } from '../audited.js';
import { Drain, Draining, Reloaded, System } from '../schemas/system.js';
import { stateOf } from '../files/save-config.js';

const show = adminRoute({
  method: 'GET',
  path: '/admin/api/system',
  summary: 'The state of the process: actors, versions, memory, disk.',
  response: System,
  async handle({ context }) {
    const { meter, config, build, delay } = context;
    const { dataDir, gatewayId, retention } = config();
    const storage = await meter.storage();
    const disk = await statfs(dataDir).catch(() => undefined);
    const { rss, heapUsed } = process.memoryUsage();
    return answer({
      gateway_id: gatewayId,
      listens: context.listens(),
      uptime_s: Math.round(context.uptimeMs() / 1000),
      versions: { troupe: build, node: process.versions.node, sqlite: storage.sqlite },
      platform: `${process.platform} ${process.arch}`,
      memory: { rss_bytes: rss, heap_bytes: heapUsed, heap_limit_bytes: getHeapStatistics().heap_size_limit },
      event_loop: { p50_ms: round(delay.percentileMs(50)), p99_ms: round(delay.percentileMs(99)) },
      disk: {
        data_dir: dataDir,
        free_bytes: disk === undefined ? null : disk.bavail * disk.bsize,
        total_bytes: disk === undefined ? null : disk.blocks * disk.bsize,
        files: storage.files.map(({ name, sizeBytes }) => ({ name, size_bytes: sizeBytes })),
      },
      retention: { request_log_days: retention.requestLogDays, audit_days: retention.auditDays },
      sessions: context.sessions.count,
      drain: context.drainState(),
      tree: context.tree(),
    });
  },
});

const drain = adminRoute({
  method: 'POST',
  path: '/admin/api/system/drain',
  summary: 'Refuses new requests of clients; running ones may end. With stop the process then ends, as by SIGTERM.',
  body: Drain,
  response: Draining,
  async handle(call) {
    const { context, body } = call;
    const { grace_s: graceS, stop = false } = body;
    const graceMs = graceS === undefined ? context.config().limits.drainMs : graceS * 1000;
    const before = { state: context.drainState() };
    const diff = { before, after: { state: 'draining' }, grace_s: graceMs / 1000, stop };
    // A process that stops writes no more.
    await audited(call, { action: 'gateway.drain', target: 'gateway', diff }, () => undefined);
    context.startDrain(graceMs, stop);
    return answer({ drain: context.drainState() === 'drained' ? 'drained' : 'draining' });
  },
});

const reload = adminRoute({
  method: 'POST',
  path: '/admin/api/system/reload',
  summary: 'Looks at gateway.yaml now, as SIGHUP does.',
  response: Reloaded,
  async handle(call) {
    const { context } = call;
    const outcome = await audited(
      call,
      { action: 'config.look', target: 'config' },
      () => context.reload(),
      () =>
        context.refused() === undefined ? { outcome: 'ok' } : { outcome: 'refused', reason: 'gateway_config_invalid' },
    );
    const { refused, needs_restart } = stateOf(context, context.inUse().etag);
    return answer({ state: refused === null ? outcome.state : 'refused', refused, needs_restart });
  },
});

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** The process. */
export const system: AdminSection = [show, drain, reload];
