import type { VNode } from 'preact';
import { Dialog } from '../views/dialog.js';
import { Facts } from '../views/facts.js';
import { Time } from '../views/time.js';
import type { AuditEntry } from '../../data/index.js';
import { Outcome } from './audit-outcome.js';

/** One entry whole, with what changed and its place in the chain. */
export function EntryDetails({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }): VNode {
  return (
    <Dialog title={`${entry.action}, entry ${entry.seq}`} shape="side" onClose={onClose}>
      <Outcome outcome={entry.outcome} />
      <p>{entry.sentence}</p>
      <Facts
        facts={[
          ['Time', <Time at={entry.time} />],
          ['By', entry.actor],
          ['Of', entry.target],
          ['Reason', entry.reason || null],
        ]}
      />
      <h3 class="part-title">What changed</h3>
      <pre class="whole-text" tabIndex={0}>
        {JSON.stringify(entry.diff, null, 2)}
      </pre>
      <Facts
        facts={[
          ['Hash', <code>{entry.hash}</code>],
          ['Of the entry before', <code>{entry.prev_hash}</code>],
        ]}
      />
    </Dialog>
  );
}
