import type { VNode } from 'preact';
import { Dialog, Facts } from '../../kit/index.js';
import type { Finding } from '../api/runtime-answers.js';
import { FindingState } from './finding-columns.js';

/** A finding at an address: its kind, the proof, and its models. */
export function FindingFacts({ finding }: { readonly finding: Finding }): VNode {
  const { title, version, proof, reason, fingerprint, models } = finding;
  return (
    <>
      <Facts
        facts={[
          ['It is', <FindingState finding={finding} />],
          ['Kind', title],
          ['Version', version],
          ['Proof', proof],
          ['Why not', reason ?? undefined],
          ['Fingerprint', fingerprint === null ? null : <code>{fingerprint}</code>],
          ...(models === null ? ([['Models', null]] as const) : []),
        ]}
      />
      {models !== null && (
        <section class="form" aria-label="Models">
          <h3 class="part-title">Models</h3>
          {models.length === 0 ? (
            <p class="muted">It lists none.</p>
          ) : (
            <ul class="rows">
              {models.map((model) => (
                <li key={model}>
                  <span class="row-main mono">{model}</span>
                </li>
              ))}
            </ul>
          )}
        </section>
      )}
    </>
  );
}

/** The facts of a finding in a window. */
export function FindingDetails({
  finding,
  onClose,
}: {
  readonly finding: Finding;
  readonly onClose: () => void;
}): VNode {
  return (
    <Dialog title={<span class="mono">{finding.url}</span>} shape="side" onClose={onClose}>
      <FindingFacts finding={finding} />
    </Dialog>
  );
}
