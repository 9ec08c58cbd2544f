import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import {
  Badge,
  Card,
  Chart,
  countScale,
  durationScale,
  Failed,
  Icon,
  Loading,
  outcomeSeries,
  percentileSeries,
  Stat,
  Time,
  useKit,
} from '../../kit/index.js';
import type { TrafficTotals } from '../../data/index.js';
import type { Overview } from '../api/metrics-answers.js';
import { Runtimes, TopKeys, TopModels } from './top-lists.js';
import { useOverview, type LiveOverview } from './use-overview.js';

/** The view marks the number of failed or refused requests above this share. */
const BAD_SHARE = 0.05;

/** The first view of an operator, live. */
export function OverviewSection(): VNode {
  const [isPaused, setPaused] = useState(false);
  const [turn, setTurn] = useState(0);
  const live = useOverview(isPaused, turn);
  const { overview, failure } = live;
  if (overview === undefined) {
    return failure === undefined ? (
      <Loading lines={8} />
    ) : (
      <Failed failure={failure} onRetry={() => setTurn(turn + 1)} />
    );
  }
  return (
    <div class="measure">
      <LiveBar live={live} isPaused={isPaused} onPause={() => setPaused(!isPaused)} />
      <Numbers overview={overview} />
      <Minutes overview={overview} />
      <div class="cards thirds">
        <Runtimes runtimes={overview.runtimes} />
        <TopKeys keys={overview.top_keys} />
        <TopModels models={overview.top_models} />
      </div>
    </div>
  );
}

const STATES = {
  connecting: ['idle', 'Connecting'],
  live: ['good', 'Live'],
  waiting: ['warn', 'Connection lost; trying again'],
  paused: ['idle', 'Paused'],
  ended: ['bad', 'Ended'],
} as const;

function LiveBar(props: {
  readonly live: LiveOverview;
  readonly isPaused: boolean;
  readonly onPause: () => void;
}): VNode {
  const { live, isPaused, onPause } = props;
  const [tone, words] = STATES[live.state];
  const { config, time, keys, models } = live.overview ?? {};
  const { formats } = useKit();
  return (
    <div class="toolbar">
      <span role="status">
        <Badge tone={tone}>{words}</Badge>
      </span>
      {time !== undefined && (
        <span class="muted number">
          <Time at={time} isShort />
        </span>
      )}
      {keys !== undefined && (
        <span class="muted">
          {formats.count(keys.active)} of {formats.counted(keys.total, 'key')} active,{' '}
          {formats.counted(models ?? 0, 'model')}
        </span>
      )}
      {config?.in_use === false && <Badge tone="bad">gateway.yaml is refused</Badge>}
      <span class="toolbar-space" />
      <button type="button" class="button small" onClick={onPause}>
        <Icon name={isPaused ? 'play' : 'pause'} />
        {isPaused ? 'Go on' : 'Pause'}
      </button>
    </div>
  );
}

function Numbers({ overview }: { readonly overview: Overview }): VNode {
  const { formats } = useKit();
  const { last_hour: hour, last_day: day, minutes, running_requests: running, spend_today: spend } = overview;
  const share = (count: number, { requests }: TrafficTotals): number => (requests === 0 ? 0 : count / requests);
  const tone = share(hour.failed, hour) > BAD_SHARE ? 'bad' : share(hour.errors, hour) > BAD_SHARE ? 'warn' : undefined;
  const ms = (value: number | null): string => (value === null ? '–' : formats.duration(value));
  const tokens = (totals: TrafficTotals): number => totals.prompt_tokens + totals.completion_tokens;
  const [first, ...others] = spend.map(({ amount, currency }) => formats.money(amount, currency));
  return (
    <dl class="stats" aria-label="Last hour">
      <Stat
        label="Requests, last hour"
        value={formats.compact(hour.requests)}
        hint={`${formats.compact(day.requests)} in a day · ${formats.count(running)} under way`}
        values={minutes.map(({ requests }) => requests)}
      />
      <Stat
        label="Errors, last hour"
        value={formats.percent(share(hour.errors, hour))}
        hint={`${formats.count(hour.refused)} refused, ${formats.count(hour.failed)} failed · ${formats.percent(share(day.errors, day))} in a day`}
        values={minutes.map(({ errors }) => errors)}
        {...(tone !== undefined && { tone })}
      />
      <Stat
        label="Tokens, last hour"
        value={formats.compact(tokens(hour))}
        hint={`${formats.compact(hour.prompt_tokens)} in, ${formats.compact(hour.completion_tokens)} out · ${formats.compact(tokens(day))} in a day`}
        values={minutes.map(tokens)}
      />
      <Stat
        label="First token, last hour"
        value={ms(hour.first_byte_p50_ms)}
        hint={`half of them; 95% within ${ms(hour.first_byte_p95_ms)}`}
        values={minutes.map(({ first_byte_p50_ms: value }) => value)}
      />
      <Stat
        label="Duration, last hour"
        value={ms(hour.duration_p50_ms)}
        hint={`half of them; 95% within ${ms(hour.duration_p95_ms)}`}
        values={minutes.map(({ duration_p50_ms: value }) => value)}
      />
      <Stat
        label="Cost, today (UTC)"
        value={first ?? '–'}
        hint={first === undefined ? 'No model has a price, or nothing was asked.' : others.join(' · ')}
      />
    </dl>
  );
}

function Minutes({ overview: { minutes, last_hour: hour } }: { readonly overview: Overview }): VNode {
  const { formats } = useKit();
  const newest = minutes.at(-1)?.start;
  const times = useMemo(() => minutes.map(({ start }) => Date.parse(start) / 1_000), [newest]);
  const common = { times, stepS: 60, height: 180, empty: 'No request in the last hour.' };
  return (
    <div class="cards charts" role="group" aria-label="The last hour by minutes">
      <Card title="Requests a minute">
        <Chart
          {...common}
          title="Requests a minute"
          scale={countScale(formats)}
          series={outcomeSeries(minutes, hour)}
        />
      </Card>
      <Card title="First token of answered requests">
        <Chart
          {...common}
          title="Time to the first token"
          scale={durationScale(formats)}
          series={percentileSeries(minutes, hour, 'first_byte')}
        />
      </Card>
    </div>
  );
}
