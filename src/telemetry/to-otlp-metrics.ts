// Metrics of Prometheus's text as OTLP's JSON (opentelemetry-proto 1, metrics.proto): the same counts as `/metrics`.
import { toAttributes, type OtlpAttribute } from './otlp-attributes.js';
import { toNanos } from './request-spans.js';

/** Since when, and when, in milliseconds since 1970. */
export interface MetricTimes {
  readonly startUnixMs: number;
  readonly unixMs: number;
}

/** A metric as OTLP has it. */
export interface OtlpMetric {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly sum?: object;
  readonly gauge?: object;
  readonly histogram?: object;
}

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Family {
  readonly help: string;
  type: string;
  readonly samples: Sample[];
}

/** Source: metrics.proto, AggregationTemporality. */
const CUMULATIVE = 2;
/** Lines of ours never have more. */
const MAX_LINES = 200_000;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** The metrics of a text as `MetricsRegistry.render` writes it. A line of another form is left out. */
export function toOtlpMetrics(text: string, times: MetricTimes): readonly OtlpMetric[] {
  return [...readFamilies(text)].map(([name, family]) => toMetric(name, family, times));
}

function readFamilies(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  let family: Family | undefined;
  for (const line of text.split('\n', MAX_LINES)) {
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (word === 'HELP') {
      family = families.get(name) ?? { help: rest, type: 'gauge', samples: [] };
      families.set(name, family);
    } else if (word === 'TYPE' && family !== undefined) family.type = rest;
    else {
      const sample = readSample(line);
      if (sample !== undefined) family?.samples.push(sample);
    }
  }
  return families;
}

function readSample(line: string): Sample | undefined {
  const [, name, labels = '', number = ''] = SAMPLE.exec(line) ?? [];
  const value = Number(number);
  if (name === undefined || !Number.isFinite(value)) return undefined;
  const pairs = [...labels.matchAll(LABEL)].map(([, label = '', written = '']) => [label, unescape(written)] as const);
  return { name, labels: Object.fromEntries(pairs), value };
}

function unescape(written: string): string {
  return written.replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));
}

function toMetric(name: string, { help, type, samples }: Family, times: MetricTimes): OtlpMetric {
  const common = { description: help, unit: unitOf(name), name: toName(name) };
  const at = { startTimeUnixNano: toNanos(times.startUnixMs), timeUnixNano: toNanos(times.unixMs) };
  if (type === 'histogram') {
    const dataPoints = toHistograms(name, samples).map((point) => ({ ...point, ...at }));
    return { ...common, histogram: { dataPoints, aggregationTemporality: CUMULATIVE } };
  }
  const isCounter = type === 'counter';
  const dataPoints = samples.map(({ labels, value }) => ({
    attributes: attributesOf(name, labels),
    ...(Number.isSafeInteger(value) ? { asInt: String(value) } : { asDouble: value }),
    ...(isCounter ? at : { timeUnixNano: at.timeUnixNano }),
  }));
  if (isCounter) return { ...common, sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } };
  return { ...common, gauge: { dataPoints } };
}

interface HistogramPoint {
  readonly attributes: readonly OtlpAttribute[];
  readonly count: string;
  readonly sum: number;
  readonly bucketCounts: readonly string[];
  readonly explicitBounds: readonly number[];
}

/** Buckets of Prometheus are cumulative; those of OTLP are not. */
function toHistograms(name: string, samples: readonly Sample[]): readonly HistogramPoint[] {
  const series = new Map<string, { labels: Record<string, string>; below: [number, number][]; sum: number }>();
  for (const { name: own, labels: all, value } of samples) {
    const { le, ...labels } = all;
    const key = JSON.stringify(labels);
    const known = series.get(key) ?? { labels, below: [], sum: 0 };
    series.set(key, known);
    if (own === `${name}_sum`) known.sum = value;
    else if (own === `${name}_bucket`) known.below.push([le === '+Inf' ? Infinity : Number(le), value]);
  }
  return Array.from(series.values(), ({ labels, below, sum }) => {
    const counts = below.map(([, count], i) => count - (below[i - 1]?.[1] ?? 0));
    return {
      attributes: attributesOf(name, labels),
      count: String(below.at(-1)?.[1] ?? 0),
      sum,
      bucketCounts: counts.map(String),
      explicitBounds: below.flatMap(([bound]) => (Number.isFinite(bound) ? [bound] : [])),
    };
  });
}

/**
 * Metrics of OpenTelemetry's conventions have its names; ours keep those of Prometheus, without the suffix of counters.
 */
function toName(name: string): string {
  if (!name.startsWith('gen_ai_')) return name.replace(/_total$/, '');
  const [, words = ''] = /^gen_ai_client_operation_(.+?)(?:_seconds)?$/.exec(name) ?? [];
  return `gen_ai.client.operation.${words}`;
}

function unitOf(name: string): string {
  if (name.endsWith('_seconds')) return 's';
  return /_bytes(?:_total)?$/.test(name) ? 'By' : '1';
}

const CONVENTIONS: Readonly<Record<string, string>> = {
  gen_ai_operation_name: 'gen_ai.operation.name',
  gen_ai_request_model: 'gen_ai.request.model',
  gen_ai_token_type: 'gen_ai.token.type',
};

function attributesOf(name: string, labels: Readonly<Record<string, string>>): readonly OtlpAttribute[] {
  const isOfConventions = name.startsWith('gen_ai_');
  const named = Object.entries(labels).map(([label, value]) => {
    const isUpstream = isOfConventions && (label === 'runtime' || label === 'provider');
    return [isUpstream ? 'gen_ai.provider.name' : (CONVENTIONS[label] ?? label), value] as const;
  });
  return toAttributes(Object.fromEntries(named));
}
