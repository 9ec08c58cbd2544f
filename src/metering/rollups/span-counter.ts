import { emptySpan, type Span } from './span.js';
import { startOf, type Scope, type RollupStep } from './steps.js';

/** A span and where it belongs. */
export interface CountedSpan<Kind extends string> {
  readonly step: RollupStep;
  readonly scope: Scope<Kind>;
  readonly startMs: number;
  readonly span: Span;
}

/** Steps of parts. */
type PartStep = Exclude<RollupStep, 'minute'>;

/** A kind of parts, and the steps that its parts have. */
export interface PartKind<Kind extends string> {
  readonly kind: Kind;
  readonly steps: readonly PartStep[];
}

/** The spans of a part: for each of its steps, by their starts. */
type PartSpans = readonly { readonly step: PartStep; readonly spans: Map<number, Span> }[];

const ALL_STEPS: readonly PartStep[] = ['hour', 'day'];

/**
 * Counts requests by time and by their parts of each of some kinds, such as models. All requests have minutes, hours and days,
 * and a part has the steps of its kind. No text is made of a request: they come in millions.
 */
export class SpanCounter<Kind extends string> {
  readonly #minutes = new Map<number, Span>();
  readonly #whole = emptyPart(ALL_STEPS);
  readonly #kinds: readonly (PartKind<Kind> & { readonly parts: Map<string, PartSpans> })[];
  #size = 0;

  /** A kind without steps has hours and days. */
  constructor(kinds: readonly (Kind | PartKind<Kind>)[]) {
    this.#kinds = kinds.map((kind) => ({
      ...(typeof kind === 'string' ? { kind, steps: ALL_STEPS } : kind),
      parts: new Map(),
    }));
  }

  /** The number of spans. */
  get size(): number {
    return this.#size;
  }

  /** Adds to each span that a time lies in. `names`: of its parts, in the order of the kinds; undefined: it has none. */
  add(atMs: number, names: readonly (string | undefined)[], addTo: (span: Span) => void): void {
    addTo(this.#spanAt(this.#minutes, startOf('minute', atMs)));
    const addIn = (part: PartSpans): void => {
      for (const { step, spans } of part) addTo(this.#spanAt(spans, startOf(step, atMs)));
    };
    addIn(this.#whole);
    for (const [i, { steps, parts }] of this.#kinds.entries()) {
      const name = names[i];
      if (name === undefined) continue;
      const part = parts.get(name) ?? emptyPart(steps);
      parts.set(name, part);
      addIn(part);
    }
  }

  *spans(): Iterable<CountedSpan<Kind>> {
    for (const [startMs, span] of this.#minutes) yield { step: 'minute', scope: '', startMs, span };
    yield* spansOf<Kind>(this.#whole, '');
    for (const { kind, parts } of this.#kinds) {
      for (const [name, part] of parts) yield* spansOf<Kind>(part, `${kind}${name}`);
    }
  }

  #spanAt(spans: Map<number, Span>, startMs: number): Span {
    const found = spans.get(startMs);
    if (found !== undefined) return found;
    const made = emptySpan();
    spans.set(startMs, made);
    this.#size++;
    return made;
  }
}

function emptyPart(steps: readonly PartStep[]): PartSpans {
  return steps.map((step) => ({ step, spans: new Map<number, Span>() }));
}

function* spansOf<Kind extends string>(part: PartSpans, scope: Scope<Kind>): Iterable<CountedSpan<Kind>> {
  for (const { step, spans } of part) {
    for (const [startMs, span] of spans) yield { step, scope, startMs, span };
  }
}
