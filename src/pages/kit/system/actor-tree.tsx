import type { VNode } from 'preact';
import { useKit } from '../page/kit.js';
import { Badge, type Tone } from '../views/badge.js';
import { Card } from '../views/card.js';
import { toActorRows, type ActorRow } from './actor-rows.js';

const TONES: Readonly<Record<string, Tone>> = { running: 'good', starting: 'info', restarting: 'warn', failed: 'bad' };

/** The current actors and supervisors. */
export function ActorTree({ tree }: { readonly tree: unknown }): VNode {
  const { formats } = useKit();
  const rows = toActorRows(tree);
  const numRestarts = rows.reduce(
    (sum, { restarts, placement }) => (placement === 'supervisor' ? sum : sum + restarts),
    0,
  );
  return (
    <Card
      title="Actors"
      actions={
        <span class="muted">
          {formats.counted(rows.length, 'actor')}, restarted {formats.counted(numRestarts, 'time')}
        </span>
      }
    >
      <div class="scroll-x" role="region" aria-label="Actors" tabIndex={0}>
        <table class="plain-table tree">
          <thead>
            <tr>
              <th scope="col">Actor</th>
              <th scope="col">State</th>
              <th scope="col">Runs</th>
              <th scope="col" class="end">
                Restarts
              </th>
              <th scope="col" class="end">
                Mailbox
              </th>
              <th scope="col" class="end">
                Up for
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.path} row={row} />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

function Row({ row }: { readonly row: ActorRow }): VNode {
  const { formats } = useKit();
  return (
    <tr>
      <th scope="row" style={{ paddingInlineStart: `${0.5 + row.depth * 1.25}rem` }}>
        {row.depth > 0 && (
          <span class="muted" aria-hidden="true">
            └{' '}
          </span>
        )}
        {row.numChildren > 0 ? <b>{row.id}</b> : row.id}
        <span class="visually-hidden">, level {row.depth + 1}</span>
      </th>
      <td>
        <Badge tone={TONES[row.state] ?? 'idle'}>{row.state}</Badge>
      </td>
      <td>{row.placement}</td>
      <td class={row.restarts > 0 ? 'end wrong' : 'end'}>{formats.count(row.restarts)}</td>
      <td class="end">{formats.count(row.mailboxDepth)}</td>
      <td class="end">{formats.duration(row.uptimeMs)}</td>
    </tr>
  );
}
