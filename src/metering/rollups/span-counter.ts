import { emptySpan, type Span } from './span.js';
import { startOf, type Scope, type RollupStep } from './steps.js';

/** A span and where it belongs. */
export interface CountedSpan<Kind extends string> {
  readonly step: RollupStep;
  readonly scope: Scope<Kind>;
  readonly startMs: number;
  readonly span: Span;
}

/** The spans of a part by their starts: hours and days. */
interface PartSpans {
  readonly hour: Map<number, Span>;
  readonly day: Map<number, Span>;
}

/**
 * Counts requests by time and by their parts of each of some kinds, such as models. All requests have minutes, hours and days,
 * and a part has hours and days. No text is made of a request: they come in millions.
 */
export class SpanCounter<Kind extends string> {
  readonly #minutes = new Map<number, Span>();
  readonly #whole: PartSpans = { hour: new Map(), day: new Map() };
  readonly #kinds: readonly { readonly kind: Kind; readonly parts: Map<string, PartSpans> }[];

  constructor(kinds: readonly Kind[]) {
    this.#kinds = kinds.map((kind) => ({ kind, parts: new Map() }));
  }

  /** Adds to each span that a time lies in. `names`: of its parts, in the order of the kinds; undefined: it has none. */
  add(atMs: number, names: readonly (string | undefined)[], addTo: (span: Span) => void): void {
    addTo(spanAt(this.#minutes, startOf('minute', atMs)));
    const [hourMs, dayMs] = [startOf('hour', atMs), startOf('day', atMs)];
    const addIn = ({ hour, day }: PartSpans): void => {
      addTo(spanAt(hour, hourMs));
      addTo(spanAt(day, dayMs));
    };
    addIn(this.#whole);
    for (const [i, { parts }] of this.#kinds.entries()) {
      const name = names[i];
      if (name !== undefined) addIn(partOf(parts, name));
    }
  }

  *spans(): Iterable<CountedSpan<Kind>> {
    for (const [startMs, span] of this.#minutes) yield { step: 'minute', scope: '', startMs, span };
    yield* spansOf<Kind>(this.#whole, '');
    for (const { kind, parts } of this.#kinds) {
      for (const [name, part] of parts) yield* spansOf<Kind>(part, `${kind}${name}`);
    }
  }
}

function partOf(parts: Map<string, PartSpans>, name: string): PartSpans {
  const found = parts.get(name) ?? { hour: new Map<number, Span>(), day: new Map<number, Span>() };
  parts.set(name, found);
  return found;
}

function spanAt(spans: Map<number, Span>, startMs: number): Span {
  const found = spans.get(startMs);
  if (found !== undefined) return found;
  const made = emptySpan();
  spans.set(startMs, made);
  return made;
}

function* spansOf<Kind extends string>(part: PartSpans, scope: Scope<Kind>): Iterable<CountedSpan<Kind>> {
  for (const step of ['hour', 'day'] as const) {
    for (const [startMs, span] of part[step]) yield { step, scope, startMs, span };
  }
}
