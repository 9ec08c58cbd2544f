/**
 * Metrics in the text format of Prometheus, version 0.0.4. Source: prometheus.io/docs/instrumenting/exposition_formats.
 */

/** Names and values of labels. */
export type Labels = Readonly<Record<string, string>>;

/** The most label sets of one metric, which bounds memory. Further label sets are counted together under `other`. */
const MAX_SERIES = 512;

/** Writes one line of a metric. */
export function sample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escape(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
}

/** Writes the lines before a metric's samples. */
export function heading(name: string, type: 'counter' | 'gauge' | 'histogram', help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** A monotonic counter for each set of labels. */
class Counter {
  readonly #name: string;
  readonly #help: string;
  readonly #series = new Map<string, { readonly labels: Labels; value: number }>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  add(labels: Labels, amount = 1): void {
    const series = seriesOf(this.#series, labels, (own) => ({ labels: own, value: 0 }));
    series.value += amount;
  }

  render(): string {
    const lines = Array.from(this.#series.values(), ({ labels, value }) => sample(this.#name, labels, value));
    return heading(this.#name, 'counter', this.#help) + lines.join('');
  }
}

interface Distribution {
  readonly labels: Labels;
  /** Observations in each bucket, not cumulated. The last bucket counts values above all bounds. */
  readonly counts: number[];
  sum: number;
}

/** A distribution for each set of labels. */
class Histogram {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Distribution>();

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#bounds = bounds;
  }

  observe(labels: Labels, value: number): void {
    const empty = (own: Labels): Distribution => ({ labels: own, counts: [...this.#bounds.map(() => 0), 0], sum: 0 });
    const series = seriesOf(this.#series, labels, empty);
    const at = this.#bounds.findIndex((bound) => value <= bound);
    const bucket = at === -1 ? this.#bounds.length : at;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += value;
  }

  render(): string {
    const lines = Array.from(this.#series.values(), ({ labels, counts, sum }) => {
      let below = 0;
      const buckets = counts.map((count, i) => {
        below += count;
        const le = i === this.#bounds.length ? '+Inf' : String(this.#bounds[i]);
        return sample(`${this.#name}_bucket`, { ...labels, le }, below);
      });
      return buckets.join('') + sample(`${this.#name}_sum`, labels, sum) + sample(`${this.#name}_count`, labels, below);
    });
    return heading(this.#name, 'histogram', this.#help) + lines.join('');
  }
}

/** The series of `labels`, or the series `other` if there are too many. */
function seriesOf<T>(all: Map<string, T>, labels: Labels, create: (labels: Labels) => T): T {
  const isFull = all.size >= MAX_SERIES && !all.has(keyOf(labels));
  const own = isFull ? Object.fromEntries(Object.keys(labels).map((label) => [label, 'other'])) : labels;
  const key = keyOf(own);
  const known = all.get(key) ?? create(own);
  all.set(key, known);
  return known;
}

function keyOf(labels: Labels): string {
  return JSON.stringify(labels);
}

/** The counters and histograms of one server. */
export interface MetricsRegistry {
  counter(name: string, help: string): Counter;
  /** `bounds`: upper limits of its buckets, ascending, in the metric's unit. */
  histogram(name: string, help: string, bounds: readonly number[]): Histogram;
  /** Writes all metrics in the order of their creation. */
  render(): string;
}

/** Creates a registry. Two servers in one process use separate registries. */
export function createMetricsRegistry(): MetricsRegistry {
  const metrics: (Counter | Histogram)[] = [];
  const add = <T extends Counter | Histogram>(metric: T): T => {
    metrics.push(metric);
    return metric;
  };
  return {
    counter: (name, help) => add(new Counter(name, help)),
    histogram: (name, help, bounds) => add(new Histogram(name, help, bounds)),
    render: () => metrics.map((metric) => metric.render()).join(''),
  };
}
