import type { VNode } from 'preact';
import { toAddress, type TrafficPart } from '../../data/index.js';
import {
  Card,
  codeColor,
  Link,
  LoadedView,
  PartBars,
  statusColor,
  useKit,
  useTraffic,
  type TrafficTime,
} from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import { KeyBars, tokensAndErrors } from '../overview/top-lists.js';

const KINDS = [
  ['model', 'By model'],
  ['runtime', 'By runtime'],
  ['status', 'By status'],
  ['error_code', 'By error'],
] as const;
type Kind = (typeof KINDS)[number][0];
/** The most parts of each kind. */
const LIMIT = 12;
const FIRST = (): 1 => 1;
const COLORS = { model: FIRST, runtime: FIRST, status: statusColor, error_code: codeColor } as const;

const DAY_MS = 86_400_000;
/** Windows of usage by key, each with the longest time range that it is used for. */
const WINDOWS = [
  ['day', 'today (UTC)', DAY_MS],
  ['week', 'this week', 7 * DAY_MS],
  ['month', 'this month', 31 * DAY_MS],
  ['total', 'ever', Infinity],
] as const;

/** The models, runtimes, keys, statuses and errors in a time range. */
export function Breakdowns({ time }: { readonly time: TrafficTime }): VNode {
  return (
    <div class="cards">
      {KINDS.map(([kind, title]) => (
        <OneBreakdown key={kind} kind={kind} title={title} time={time} />
      ))}
      {time.range.to === '' && <KeyBreakdown time={time} />}
    </div>
  );
}

/**
 * The keys with the most tokens, for a time range that ends now. The gateway stores sums of keys by window, so it reads
 * a list among 50,000 keys at once.
 */
function KeyBreakdown({ time }: { readonly time: TrafficTime }): VNode {
  const { api } = useAdmin();
  const { clock } = useKit();
  const [window, words] = windowOf(clock.unixMs() - Date.parse(time.range.from));
  const keys = useTraffic(time, [window], (_, call) => api.topKeys({ window, limit: LIMIT }, call));
  return (
    <Card title={`By key, ${words}`}>
      <LoadedView loaded={keys} lines={3}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">There were none.</p>
          ) : (
            <KeyBars keys={data} toLink={(id) => ({ path: '/metrics', query: { key_id: id } })} />
          )
        }
      </LoadedView>
    </Card>
  );
}

function windowOf(ms: number): readonly [string, string] {
  const [window, words] = WINDOWS.find(([, , mostMs]) => ms <= mostMs) ?? WINDOWS[3];
  return [window, words];
}

function OneBreakdown(props: { readonly kind: Kind; readonly title: string; readonly time: TrafficTime }): VNode {
  const { kind, title, time } = props;
  const { api } = useAdmin();
  const { formats } = useKit();
  const parts = useTraffic(time, [kind], ({ from, to }, call) =>
    api.breakdown({ by: kind, from, to, limit: LIMIT }, call),
  );
  const hintOf = (part: TrafficPart): string => {
    if (kind !== 'model' && kind !== 'runtime') return '';
    const { prompt_tokens: prompt, completion_tokens: completion, errors } = part;
    return tokensAndErrors({ prompt, completion, errors }, formats);
  };
  return (
    <Card title={title}>
      <LoadedView loaded={parts} lines={3}>
        {({ data }) => (
          <PartBars
            parts={data}
            nameOf={(name) => <Link to={toAddress({ path: '/requests', query: { [kind]: name } })}>{name}</Link>}
            hintOf={hintOf}
            colorOf={COLORS[kind]}
          />
        )}
      </LoadedView>
    </Card>
  );
}
