import type { RolledRow } from './rollup-table.js';
import { countRequest, emptySpan, type Span } from './span.js';
import { startOf, type Scope, type ScopeKind, type RollupStep } from './steps.js';

/** A span and where it belongs. */
export interface CountedSpan {
  readonly step: RollupStep;
  readonly scope: Scope;
  readonly startMs: number;
  readonly span: Span;
}

/** The spans of a part by their starts: hours and days. */
interface PartSpans {
  readonly hour: Map<number, Span>;
  readonly day: Map<number, Span>;
}

/** Counts rows of the request log by time, model and runtime. No text is made of a row: they come in millions. */
export class SpanCounter {
  readonly #minutes = new Map<number, Span>();
  readonly #whole: PartSpans = { hour: new Map(), day: new Map() };
  readonly #parts: Readonly<Record<ScopeKind, Map<string, PartSpans>>> = { 'm:': new Map(), 'r:': new Map() };

  count(row: RolledRow): void {
    const { atMs, model, runtimeId } = row;
    countRequest(spanAt(this.#minutes, startOf('minute', atMs)), row);
    const [hourMs, dayMs] = [startOf('hour', atMs), startOf('day', atMs)];
    const countIn = ({ hour, day }: PartSpans): void => {
      countRequest(spanAt(hour, hourMs), row);
      countRequest(spanAt(day, dayMs), row);
    };
    countIn(this.#whole);
    if (model !== undefined) countIn(this.#partOf('m:', model));
    if (runtimeId !== undefined) countIn(this.#partOf('r:', runtimeId));
  }

  *spans(): Iterable<CountedSpan> {
    for (const [startMs, span] of this.#minutes) yield { step: 'minute', scope: '', startMs, span };
    yield* spansOf(this.#whole, '');
    for (const kind of ['m:', 'r:'] as const) {
      for (const [name, part] of this.#parts[kind]) yield* spansOf(part, `${kind}${name}`);
    }
  }

  #partOf(kind: ScopeKind, name: string): PartSpans {
    const found = this.#parts[kind].get(name) ?? { hour: new Map<number, Span>(), day: new Map<number, Span>() };
    this.#parts[kind].set(name, found);
    return found;
  }
}

function spanAt(spans: Map<number, Span>, startMs: number): Span {
  const found = spans.get(startMs);
  if (found !== undefined) return found;
  const made = emptySpan();
  spans.set(startMs, made);
  return made;
}

function* spansOf(part: PartSpans, scope: Scope): Iterable<CountedSpan> {
  for (const step of ['hour', 'day'] as const) {
    for (const [startMs, span] of part[step]) yield { step, scope, startMs, span };
  }
}
