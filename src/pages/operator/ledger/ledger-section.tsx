import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiFailure } from '../../data/index.js';
import { ActionButton, Card, FailureNote, Note, useKit } from '../../kit/index.js';
import type { LedgerCheck } from '../api/operator-api.js';
import { useOperator } from '../operator-state.js';

/** Checks whether the books are correct. */
export function LedgerSection(): VNode {
  const { api } = useOperator();
  const { formats } = useKit();
  const [found, setFound] = useState<LedgerCheck>();
  const [failure, setFailure] = useState<ApiFailure>();
  const verify = async (): Promise<void> => {
    const answer = await api.run<LedgerCheck>('ledger.verify', {});
    setFailure(answer.ok ? undefined : answer.failure);
    setFound(answer.ok ? answer.value : undefined);
  };
  return (
    <div class="measure">
      <Card
        title="The books"
        actions={
          <ActionButton kind="primary" onAct={verify}>
            Verify
          </ActionButton>
        }
      >
        <p class="prose">
          Every group of the ledger sums to zero, every balance is the sum of its entries, and each day is a chain of
          hashes. Verifying reads all of it.
        </p>
        {failure !== undefined && <FailureNote failure={failure} />}
        {found !== undefined && (
          <Note tone={found.ok ? 'good' : 'bad'}>
            {found.ok ? 'The books are right' : 'The books are wrong'}: {formats.counted(found.groups, 'group')} with{' '}
            {formats.counted(found.entries, 'entry', 'entries')}.
            {found.faults.map((fault) => (
              <div key={fault}>{fault}</div>
            ))}
          </Note>
        )}
      </Card>
    </div>
  );
}
