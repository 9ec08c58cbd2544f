import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiAnswer, LoadCall } from '../../data/index.js';
import { Choice } from '../forms/choice.js';
import { TimeSpan } from '../forms/time-filter.js';
import { useKit } from '../page/kit.js';
import { useLoad, type Loaded } from '../page/use-load.js';
import { useStore } from '../page/use-store.js';
import { RANGES, readRange, type RangeName, type TimeRange } from './time-range.js';

/** A range that ends now is loaded again so often, in milliseconds. */
const LOOK_MS = 30_000;

/** The time of charts, which the address has. */
export interface TrafficTime {
  readonly range: TimeRange;
  /** The same at the time of the call: a range that ends now ends at the time at which it is loaded. */
  readonly rangeNow: () => TimeRange;
  /** Change with the time that is asked for. */
  readonly deps: readonly unknown[];
  /** Milliseconds between two loads; undefined: it is loaded once. */
  readonly everyMs: number | undefined;
  /** Chooses a part of the time. */
  readonly onRange: (fromMs: number, toMs: number) => void;
}

/** The time of the charts of a section. */
export function useTrafficTime(): TrafficTime {
  const { router, clock } = useKit();
  const { query } = useStore(router);
  const rangeNow = (): TimeRange => readRange(query, clock.unixMs());
  const range = rangeNow();
  return {
    range,
    rangeNow,
    deps: [query['range'], query['from'], query['to']],
    everyMs: range.to === '' ? LOOK_MS : undefined,
    onRange: (fromMs, toMs) =>
      router.setQuery({ range: '', from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }),
  };
}

/** Loads what a time has. `subject`: what else is asked for. */
export function useTraffic<T>(
  { rangeNow, deps, everyMs }: TrafficTime,
  subject: readonly unknown[],
  load: (range: TimeRange, call: LoadCall) => Promise<ApiAnswer<T>>,
): Loaded<T> {
  return useLoad((call) => load(rangeNow(), call), [...deps, ...subject], everyMs);
}

/** Chooses the time. `children`: further choices. */
export function TrafficToolbar(props: {
  readonly time: TrafficTime;
  /** False where the smallest step is an hour: an hour would be one bar. */
  readonly hasMinutes?: boolean;
  readonly children?: ComponentChildren;
}): VNode {
  const { time, hasMinutes = true } = props;
  const { range } = time;
  const { router, formats } = useKit();
  const [isOwn, setOwn] = useState(false);
  const onChoose = (chosen: RangeName): void => {
    if (chosen === 'own') setOwn(true);
    else router.setQuery({ range: chosen, from: '', to: '' });
  };
  const ranges = RANGES.filter(([id]) => hasMinutes || id !== '1h');
  const names = [...ranges.map(([id, label]) => [id, label] as const), ['own', 'Own'] as const];
  return (
    <div class="toolbar">
      <Choice name="Range" isNameHidden values={names} chosen={range.name} onChoose={onChoose} />
      {range.name === 'own' && (
        <button type="button" class="button small" onClick={() => setOwn(true)}>
          {formats.dateTime(range.from)} – {range.to === '' ? 'now' : formats.dateTime(range.to)}
        </button>
      )}
      <span class="toolbar-space" />
      {props.children}
      {isOwn && (
        <TimeSpan
          from={range.from}
          to={range.to}
          onChosen={(span) => {
            router.setQuery({ range: '', ...span });
            setOwn(false);
          }}
          onClose={() => setOwn(false)}
        />
      )}
    </div>
  );
}
