import type { VNode } from 'preact';
import { toAddress, type Formats } from '../../data/index.js';
import { Bar, Card, Link, LoadedView, useKit, useLoad } from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import type { Part } from '../api/metrics-answers.js';
import { tokensAndErrors } from '../overview/top-lists.js';
import type { TimeRange } from './time-range.js';

const KINDS = [
  ['model', 'By model'],
  ['runtime', 'By runtime'],
  ['status', 'By status'],
  ['error_code', 'By error'],
] as const;
type Kind = (typeof KINDS)[number][0];
/** Parts of each kind. */
const LIMIT = 12;

/** The time of breakdowns, and the milliseconds between two loads; undefined: they are loaded once. */
interface BreakdownTime {
  readonly rangeNow: () => TimeRange;
  /** Change with the time that is asked for. */
  readonly deps: readonly unknown[];
  readonly everyMs: number | undefined;
}

/** The models, runtimes, statuses and errors of a time. */
export function Breakdowns(props: BreakdownTime): VNode {
  return (
    <div class="cards">
      {KINDS.map(([kind, title]) => (
        <OneBreakdown key={kind} kind={kind} title={title} {...props} />
      ))}
    </div>
  );
}

function OneBreakdown(props: BreakdownTime & { readonly kind: Kind; readonly title: string }): VNode {
  const { kind, title, rangeNow, deps, everyMs } = props;
  const { api } = useAdmin();
  const { formats } = useKit();
  const parts = useLoad(
    (call) => {
      const { from, to } = rangeNow();
      return api.breakdown({ by: kind, from, to, limit: LIMIT }, call);
    },
    [kind, ...deps],
    everyMs,
  );
  return (
    <Card title={title}>
      <LoadedView loaded={parts} lines={3}>
        {({ data }) => {
          const top = Math.max(1, ...data.map(({ requests }) => requests));
          return data.length === 0 ? (
            <p class="muted">There were none.</p>
          ) : (
            <ol class="bars">
              {data.map((part) => (
                <Bar
                  key={part.name}
                  name={nameOf(part.name, kind)}
                  hint={hintOf(part, kind, formats)}
                  share={part.requests / top}
                  value={formats.compact(part.requests)}
                  color={colorOf(part, kind)}
                />
              ))}
            </ol>
          );
        }}
      </LoadedView>
    </Card>
  );
}

function nameOf(name: string, kind: Kind): VNode | string {
  const query = kind === 'status' ? { status: name } : kind === 'error_code' ? { error_code: name } : { [kind]: name };
  return <Link to={toAddress({ path: '/requests', query })}>{name}</Link>;
}

function hintOf(part: Part, kind: Kind, formats: Formats): string {
  if (kind !== 'model' && kind !== 'runtime') return '';
  const { prompt_tokens: prompt, completion_tokens: completion, errors } = part;
  return tokensAndErrors({ prompt, completion, errors }, formats);
}

/** Of the charts: refusals and failures as they have them. An error code may be of both. */
function colorOf({ name, errors }: Part, kind: Kind): 1 | 3 | 4 {
  if (kind === 'error_code') return 4;
  return kind === 'status' && errors > 0 ? (Number(name) < 500 ? 3 : 4) : 1;
}
