import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Badge, Chart, Failed, Icon, Loading, Note, Stat, Time, useKit } from '../../page-kit/index.js';
import type { Overview, Totals } from '../api/metrics-answers.js';
import { Runtimes, TopKeys, TopModels } from './top-lists.js';
import { useOverview, type LiveOverview } from './use-overview.js';

/** Above this share of errors the number is marked. */
const BAD_SHARE = 0.05;

/** What an operator looks at first, live. */
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
      {overview.catching_up !== null && <Note tone="warn">{CATCHING_UP[overview.catching_up]}</Note>}
      <Numbers overview={overview} />
      <div class="split">
        <Minutes overview={overview} />
        <Runtimes runtimes={overview.runtimes} />
      </div>
      <div class="cards">
        <TopKeys keys={overview.top_keys} />
        <TopModels models={overview.top_models} />
      </div>
    </div>
  );
}

const CATCHING_UP = {
  usage: 'After an update, the use of keys is being added up: until then some are missing here. Budgets are right.',
  requests: 'After an update, older requests are being added up: until then charts have fewer than there were.',
  indexes:
    'After an update, the request log gets its indexes while nothing is under way: until then its filters take longer.',
} as const;

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
          {formats.count(keys.active)} of {formats.count(keys.total)} keys active, {formats.count(models ?? 0)} models
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
  const share = ({ errors, requests }: Totals): number => (requests === 0 ? 0 : errors / requests);
  const ms = (value: number | null): string => (value === null ? '–' : formats.duration(value));
  const tokens = (totals: Totals): number => totals.prompt_tokens + totals.completion_tokens;
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
        value={formats.percent(share(hour))}
        hint={`${formats.count(hour.errors)} failed, ${formats.count(hour.aborted)} left · ${formats.percent(share(day))} in a day`}
        values={minutes.map(({ errors }) => errors)}
        {...(share(hour) > BAD_SHARE && { tone: 'bad' as const })}
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
        hint={`p95 ${ms(hour.first_byte_p95_ms)} · a day ${ms(day.first_byte_p50_ms)} / ${ms(day.first_byte_p95_ms)}`}
        values={minutes.map(({ first_byte_p50_ms: value }) => value)}
      />
      <Stat
        label="Duration, last hour"
        value={ms(hour.duration_p50_ms)}
        hint={`p95 ${ms(hour.duration_p95_ms)} · a day ${ms(day.duration_p50_ms)} / ${ms(day.duration_p95_ms)}`}
        values={minutes.map(({ duration_p50_ms: value }) => value)}
      />
      <Stat
        label="Spend, today (UTC)"
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
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const requests = minutes.map((minute) => minute.requests);
  const errors = minutes.map((minute) => minute.errors);
  const firstBytes = [
    minutes.map((one) => one.first_byte_p50_ms),
    minutes.map((one) => one.first_byte_p95_ms),
  ] as const;
  return (
    <section class="card" aria-label="The last hour by minutes">
      <Chart
        title="Requests a minute"
        times={times}
        stepS={60}
        format={formats.compact}
        height={170}
        series={[
          { label: 'Requests', color: 1, kind: 'bars', values: requests, sum: sum(requests) },
          { label: 'Errors', color: 4, kind: 'bars', values: errors, sum: sum(errors) },
        ]}
      />
      <Chart
        title="First token"
        times={times}
        stepS={60}
        format={formats.duration}
        height={150}
        series={[
          { label: 'p50', color: 2, kind: 'area', values: firstBytes[0], sum: hour.first_byte_p50_ms },
          { label: 'p95', color: 3, kind: 'line', values: firstBytes[1], sum: hour.first_byte_p95_ms },
        ]}
      />
    </section>
  );
}
