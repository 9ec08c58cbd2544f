// The variables of OpenTelemetry, which override the file. Source:
// opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables and
// opentelemetry.io/docs/specs/otel/protocol/exporter.
import { AppError } from '../base/index.js';
import { checkTelemetryUrl, type TelemetryConfig } from './telemetry-file.js';

/** An environment. */
export type TelemetryEnv = Readonly<Record<string, string | undefined>>;

const MAX_PAIRS = 32;
const RATIO_SAMPLER = /^(?:parentbased_)?traceidratio$/;

/** A file's telemetry with the overrides of the environment. Errors: `telemetry_invalid`, which names the variable. */
export function withTelemetryEnv(config: TelemetryConfig, env: TelemetryEnv): TelemetryConfig {
  const read = (name: string): string | undefined => {
    const text = env[name]?.trim();
    return text === '' ? undefined : text;
  };
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') {
    return { ...config, tracesUrl: undefined, metricsUrl: undefined };
  }
  return {
    ...config,
    tracesUrl: urlOf('TRACES', config.tracesUrl, read),
    metricsUrl: urlOf('METRICS', config.metricsUrl, read),
    serviceName: read('OTEL_SERVICE_NAME') ?? config.serviceName,
    sampleRatio: ratioOf(config.sampleRatio, read),
    metricsIntervalMs: intervalOf(config.metricsIntervalMs, read),
  };
}

type Read = (name: string) => string | undefined;

function urlOf(signal: 'TRACES' | 'METRICS', ofFile: string | undefined, read: Read): string | undefined {
  if (read(`OTEL_${signal}_EXPORTER`) === 'none') return undefined;
  const [own, base] = [`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, 'OTEL_EXPORTER_OTLP_ENDPOINT'];
  const name = read(own) === undefined ? base : own;
  const text = read(name);
  if (text === undefined) return ofFile;
  const trouble = checkTelemetryUrl(text);
  if (trouble !== undefined) throw invalid(name, trouble);
  const protocol = read(`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`) ?? read('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol === 'grpc') {
    throw invalid('OTEL_EXPORTER_OTLP_PROTOCOL', 'is grpc; telemetry goes over HTTP: write http/json, and port 4318');
  }
  return name === own ? text : `${text.replace(/\/+$/, '')}/v1/${signal.toLowerCase()}`;
}

function ratioOf(ofFile: number, read: Read): number {
  const sampler = read('OTEL_TRACES_SAMPLER') ?? '';
  if (sampler.endsWith('always_off')) return 0;
  if (sampler.endsWith('always_on')) return 1;
  if (!RATIO_SAMPLER.test(sampler)) return ofFile;
  const ratio = Number(read('OTEL_TRACES_SAMPLER_ARG') ?? 1);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw invalid('OTEL_TRACES_SAMPLER_ARG', 'is not a number from 0 to 1');
}

function intervalOf(ofFile: number, read: Read): number {
  const text = read('OTEL_METRIC_EXPORT_INTERVAL');
  if (text === undefined) return ofFile;
  const intervalMs = Number(text);
  if (Number.isInteger(intervalMs) && intervalMs >= 1_000 && intervalMs <= 3_600_000) return intervalMs;
  throw invalid('OTEL_METRIC_EXPORT_INTERVAL', 'is not a whole number of milliseconds from 1000 to 3600000');
}

/**
 * Pairs `name=value` with commas between and percent-encoded values, as headers and resource attributes are written. Errors:
 * `telemetry_invalid`, without the text: it may have a secret in it.
 */
export function parsePairs(text: string | undefined, what: string): ReadonlyMap<string, string> {
  const parts = (text ?? '').split(',').filter((part) => part.trim() !== '');
  if (parts.length > MAX_PAIRS) throw invalid(what, `has ${parts.length} pairs; the limit is ${MAX_PAIRS}`);
  return new Map(
    parts.map((part, i) => {
      const [, name = '', value = ''] = /^\s*([\w.-]{1,128})\s*=\s*([\x21-\x7e]{0,4096})\s*$/.exec(part) ?? [];
      const decoded = decode(value);
      if (name !== '' && decoded !== undefined) return [name, decoded] as const;
      throw invalid(what, `is not name=value at pair ${i + 1}; values are percent-encoded, as in Bearer%20abc`);
    }),
  );
}

function decode(value: string): string | undefined {
  try {
    const text = decodeURIComponent(value);
    return /^[\x20-\x7e]*$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

function invalid(what: string, trouble: string): AppError {
  return new AppError('telemetry_invalid', `${what} ${trouble}`, { variable: what });
}
