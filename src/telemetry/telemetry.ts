import { every, type LogEntry } from '../base/index.js';
import { postJson, type Attempt, type OutgoingNetwork } from '../outgoing/index.js';
import type { SecretSource } from '../yaml-file/index.js';
import { toAttributes } from './otlp-attributes.js';
import type { OtlpSpan } from './request-spans.js';
import type { TelemetryConfig } from './telemetry-file.js';
import { parsePairs, type TelemetryEnv } from './telemetry-env.js';
import { toOtlpMetrics } from './to-otlp-metrics.js';

/** Spans that wait: some seconds of a busy gateway. Source: OTEL_BSP_MAX_QUEUE_SIZE. */
const MAX_WAITING = 2_048;
/** Spans of one request. Source: OTEL_BSP_MAX_EXPORT_BATCH_SIZE. */
const MAX_BATCH = 512;
/** Between two sendings of spans. Source: OTEL_BSP_SCHEDULE_DELAY. */
const FLUSH_MS = 5_000;
/** After a failure the pause doubles up to this. */
const MAX_PAUSE_MS = 60_000;
/** How long the last spans and metrics may take when the process ends. */
const LAST_MS = 2_000;
/** Answers after which it makes sense to send the same again. Source: the OTLP specification, "Retryable Response Codes". */
const RETRYABLE: readonly number[] = [429, 502, 503, 504];

/** Options of telemetry. */
export interface TelemetryOptions extends OutgoingNetwork {
  /** Of this process: `service.version`, `service.instance.id`. */
  readonly version: string;
  readonly instanceId: string;
  readonly env: TelemetryEnv;
  /** Errors: `telemetry_invalid`, those of files. */
  readonly readSecret: (source: SecretSource, what: string) => Promise<string>;
  /** The metrics in the text format of Prometheus. */
  readonly metrics: () => string | Promise<string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: (entry: LogEntry) => void;
}

/** Sends traces and metrics to a collector. Without one it does nothing. */
export interface Telemetry extends AsyncDisposable {
  /** Reads the headers of a file. Errors: `telemetry_invalid`, those of files. */
  prepare(config: TelemetryConfig): Promise<PreparedTelemetry>;
  /** Sends by it from now on. */
  use(prepared: PreparedTelemetry): void;
  trace(spans: readonly OtlpSpan[]): void;
  /** Spans that were dropped: too many waited, or the collector refused them. */
  readonly dropped: number;
}

/** A file whose secrets were read. */
export interface PreparedTelemetry {
  readonly config: TelemetryConfig;
  readonly headers: Readonly<Record<string, string>>;
}

const SCOPE = { name: 'troupe' };

/** Telemetry that sends nothing yet. */
export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { env, metrics, now, log, clock, version, instanceId } = options;
  const startUnixMs = now();
  const waiting: OtlpSpan[] = [];
  let inUse: PreparedTelemetry | undefined;
  let stops: (() => void)[] = [];
  let sending: Promise<void> | undefined;
  let sendingMetrics: Promise<void> | undefined;
  let [failures, pausedUntilMs, dropped] = [0, -Infinity, 0];

  const resourceOf = (serviceName: string): object => ({
    attributes: toAttributes({
      ...Object.fromEntries(parsePairs(env['OTEL_RESOURCE_ATTRIBUTES'], 'OTEL_RESOURCE_ATTRIBUTES')),
      'service.name': serviceName,
      'service.version': version,
      'service.instance.id': instanceId,
      'telemetry.sdk.name': 'troupe',
      'telemetry.sdk.language': 'nodejs',
    }),
  });

  const post = async (url: string, body: object, headers: PreparedTelemetry['headers']): Promise<Attempt> => {
    const attempt = await postJson(url, { body: JSON.stringify(body), headers }, options);
    // One line when it begins to fail, and one when it works again.
    if (attempt.isDelivered && failures > 0) log({ event: 'telemetry works again' });
    if (!attempt.isDelivered && failures === 0) {
      const { status, reason = 'status' } = attempt;
      log({ event: 'telemetry failed', level: 'warn', reason, ...(status !== undefined && { status }) });
    }
    failures = attempt.isDelivered ? 0 : failures + 1;
    return attempt;
  };

  const flush = async ({ config: { tracesUrl, serviceName }, headers }: PreparedTelemetry): Promise<void> => {
    while (tracesUrl !== undefined && waiting.length > 0 && clock.nowMs() >= pausedUntilMs) {
      const batch = waiting.slice(0, MAX_BATCH);
      const body = {
        resourceSpans: [{ resource: resourceOf(serviceName), scopeSpans: [{ scope: SCOPE, spans: batch }] }],
      };
      const { isDelivered, status, retryAfterMs = 0 } = await post(tracesUrl, body, headers);
      const mayRetry = status === undefined || RETRYABLE.includes(status);
      if (isDelivered || !mayRetry) waiting.splice(0, batch.length);
      if (isDelivered) continue;
      if (!mayRetry) dropped += batch.length;
      const pauseMs = Math.max(FLUSH_MS * 2 ** (failures - 1), retryAfterMs);
      pausedUntilMs = clock.nowMs() + Math.min(MAX_PAUSE_MS, pauseMs);
    }
  };

  const sendMetrics = async ({ config, headers }: PreparedTelemetry): Promise<void> => {
    const { metricsUrl, serviceName } = config;
    if (metricsUrl === undefined) return;
    const all = toOtlpMetrics(await metrics(), { startUnixMs, unixMs: now() });
    const body = {
      resourceMetrics: [{ resource: resourceOf(serviceName), scopeMetrics: [{ scope: SCOPE, metrics: all }] }],
    };
    // Counts only grow: the next export includes those of this one.
    await post(metricsUrl, body, headers);
  };

  const startFlush = (): Promise<void> => {
    if (inUse === undefined) return Promise.resolve();
    return (sending ??= flush(inUse).finally(() => (sending = undefined)));
  };
  const startMetrics = (): Promise<void> => {
    if (inUse === undefined) return Promise.resolve();
    return (sendingMetrics ??= sendMetrics(inUse)
      .catch(() => {
        // A relay that is being started again has no metrics: the next sending has all.
      })
      .finally(() => (sendingMetrics = undefined)));
  };

  return {
    async prepare(config) {
      const isOff = config.tracesUrl === undefined && config.metricsUrl === undefined;
      if (isOff) return { config, headers: {} };
      // A mistake in it refuses the start, and not each sending.
      resourceOf(config.serviceName);
      const name = 'OTEL_EXPORTER_OTLP_HEADERS';
      const ofFile =
        config.headers === undefined ? undefined : await options.readSecret(config.headers, 'telemetry.headers');
      const text = env[name]?.trim() ?? '';
      const pairs = text === '' ? parsePairs(ofFile, 'telemetry.headers') : parsePairs(text, name);
      return { config, headers: Object.fromEntries(pairs) };
    },
    use(prepared) {
      for (const stop of stops) stop();
      stops = [];
      const { tracesUrl, metricsUrl, metricsIntervalMs } = prepared.config;
      inUse = tracesUrl === undefined && metricsUrl === undefined ? undefined : prepared;
      if (tracesUrl === undefined) waiting.length = 0;
      else stops.push(every(FLUSH_MS, clock, () => void startFlush()));
      if (metricsUrl !== undefined) stops.push(every(metricsIntervalMs, clock, () => void startMetrics()));
    },
    trace(spans) {
      if (inUse?.config.tracesUrl === undefined) return;
      if (waiting.length + spans.length > MAX_WAITING) {
        dropped += spans.length;
        return;
      }
      waiting.push(...spans);
      if (waiting.length >= MAX_BATCH) void startFlush();
    },
    get dropped() {
      return dropped;
    },
    async [Symbol.asyncDispose]() {
      for (const stop of stops) stop();
      const last = Promise.all([sending, sendingMetrics]).then(() => Promise.all([startFlush(), startMetrics()]));
      await new Promise<void>((resolve) => {
        const cancel = clock.after(LAST_MS, resolve);
        void last.then(() => {
          cancel();
          resolve();
        });
      });
      inUse = undefined;
      if (waiting.length > 0) log({ event: 'spans dropped', level: 'warn', count: waiting.length });
    },
  };
}
