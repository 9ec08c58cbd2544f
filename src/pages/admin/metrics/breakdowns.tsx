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
import { tokensAndErrors } from '../overview/top-lists.js';

const KINDS = [
  ['model', 'By model'],
  ['runtime', 'By runtime'],
  ['status', 'By status'],
  ['error_code', 'By error'],
] as const;
type Kind = (typeof KINDS)[number][0];
/** Parts of each kind. */
const LIMIT = 12;
const FIRST = (): 1 => 1;
const COLORS = { model: FIRST, runtime: FIRST, status: statusColor, error_code: codeColor } as const;

/** The models, runtimes, statuses and errors of a time. */
export function Breakdowns({ time }: { readonly time: TrafficTime }): VNode {
  return (
    <div class="cards">
      {KINDS.map(([kind, title]) => (
        <OneBreakdown key={kind} kind={kind} title={title} time={time} />
      ))}
    </div>
  );
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
