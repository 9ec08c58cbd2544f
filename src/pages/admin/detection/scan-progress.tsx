import type { VNode } from 'preact';
import { ActionButton, Badge, FailureNote, Progress, useKit } from '../../kit/index.js';
import { useState } from 'preact/hooks';
import type { ApiFailure } from '../../data/index.js';
import { useAdmin } from '../admin.js';
import type { Scan } from '../api/runtime-answers.js';

const STATES = {
  running: ['info', 'under way'],
  done: ['good', 'done'],
  cancelled: ['idle', 'stopped'],
  failed: ['bad', 'failed'],
} as const;

/** The progress of a scan, with a button to stop it. */
export function ScanProgress({ scan }: { readonly scan: Scan }): VNode {
  const { api } = useAdmin();
  const { formats, clock } = useKit();
  const [failure, setFailure] = useState<ApiFailure>();
  const { counts, state, started_at: started, ended_at: ended } = scan;
  const [tone, words] = STATES[state];
  const stop = async (): Promise<void> => {
    const answer = await api.cancelScan(scan.id);
    setFailure(answer.ok ? undefined : answer.failure);
  };
  const tookMs = (ended === null ? clock.unixMs() : Date.parse(ended)) - Date.parse(started);
  const rows = [
    ['silent', 'silent', counts.silent],
    ['closed', 'closed', counts.closed],
    ['runtime', 'runtimes', counts.found + counts.auth],
    ['impostor', 'impostors', counts.impostor],
    ['other server', 'other servers', counts.skipped],
    ['left out: ours', 'left out: ours', counts.excluded],
  ] as const;
  return (
    <div class="form scan-progress">
      <div class="toolbar">
        <span role="status">
          <Badge tone={tone}>{words}</Badge>
        </span>
        <span>
          <b>{scan.range}</b>
        </span>
        <span class="number muted">
          {formats.count(counts.tried)} of {formats.counted(counts.endpoints, 'endpoint')},{' '}
          {formats.duration(Math.max(0, tookMs))}
        </span>
        <span class="toolbar-space" />
        {state === 'running' && <ActionButton onAct={stop}>Stop</ActionButton>}
      </div>
      {state === 'running' && <Progress label="Endpoints tried" value={counts.tried} max={counts.endpoints} />}
      <p class="muted number">
        {rows
          .filter(([, , count]) => count > 0)
          .map(([one, many, count]) => formats.counted(count, one, many))
          .join(' · ')}
      </p>
      {scan.error !== null && <p class="wrong">{scan.error}</p>}
      {failure !== undefined && <FailureNote failure={failure} />}
    </div>
  );
}
