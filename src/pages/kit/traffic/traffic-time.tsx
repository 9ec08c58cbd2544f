import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiAnswer, LoadCall } from '../../data/index.js';
import { Choice } from '../forms/choice.js';
import { TimeSpan } from '../forms/time-filter.js';
import { useKit } from '../page/kit.js';
import { useLoad, type Loaded } from '../page/use-load.js';
import { useStore } from '../page/use-store.js';
import { RANGES, readRange, type RangeName, type TimeRange } from './time-range.js';

/** Refresh interval of a range that ends now, in milliseconds. */
const LOOK_MS = 30_000;

/** The time range of charts, which the address contains. */
export interface TrafficTime {
  readonly range: TimeRange;
  /** The range at the time of the call. A range that ends now ends at the time of the load. */
  readonly rangeNow: () => TimeRange;
  /** Values that change with the requested time range. */
  readonly deps: readonly unknown[];
  /** Milliseconds between two loads; undefined: one load. */
  readonly everyMs: number | undefined;
  /** Chooses a part of the time range. */
  readonly onRange: (fromMs: number, toMs: number) => void;
}

/** The time range of the charts of a section. */
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

/** Loads the data of a time range. `subject`: further dependencies of the request. */
export function useTraffic<T>(
  { rangeNow, deps, everyMs }: TrafficTime,
  subject: readonly unknown[],
  load: (range: TimeRange, call: LoadCall) => Promise<ApiAnswer<T>>,
): Loaded<T> {
  return useLoad((call) => load(rangeNow(), call), [...deps, ...subject], everyMs);
}

/** Chooses the time range. `children`: further choices. */
export function TrafficToolbar(props: {
  readonly time: TrafficTime;
  /** False if the smallest step is an hour, because an hour would be one bar. */
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
