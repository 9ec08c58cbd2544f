import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiFailure } from '../../data/index.js';
import { ActionButton, Dialog, Empty, Facts, FailureNote, Note, useKit } from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import type { Runtime, RuntimeCheck, RuntimeKind } from '../api/runtime-answers.js';
import { EntryButtons } from '../entry-acts.js';
import { savedWords } from '../saved-note.js';
import { FindingFacts } from './finding-facts.js';
import { EditRuntime } from './runtime-dialogs.js';
import { RuntimeState } from './runtime-state.js';

/** One runtime: its state, a check of the server at its address, and the approval of a change. */
export function RuntimeDetails(props: {
  readonly id: string;
  readonly runtime: Runtime | undefined;
  readonly kinds: readonly RuntimeKind[];
  readonly etag: string;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}): VNode {
  const { id, runtime, kinds, etag, onChanged, onClose } = props;
  const { api } = useAdmin();
  if (runtime === undefined) {
    return (
      <Dialog title={id} shape="side" onClose={onClose}>
        <Empty icon="runtime" title="The file has no runtime of this name." />
      </Dialog>
    );
  }
  return (
    <Dialog title={id} shape="side" onClose={onClose}>
      <div class="toolbar">
        <RuntimeState runtime={runtime} />
        <span class="toolbar-space" />
        <EntryButtons
          id={id}
          edit={(ways) => <EditRuntime shown={runtime} kinds={kinds} etag={etag} {...ways} />}
          remove={() => api.removeRuntime(id, etag)}
          warning={
            <>
              <p>It is taken out of gateway.yaml, with the targets that it has.</p>
              {runtime.models.length > 0 && (
                <p>It serves {runtime.models.join(', ')}. A model without another target goes too.</p>
              )}
            </>
          }
          onChanged={onChanged}
          onRemoved={onClose}
        />
      </div>
      {runtime.reason !== null && <Note tone="warn">{runtime.reason}</Note>}
      <Facts
        facts={[
          ['Kind', runtime.title],
          ['Address', <code>{runtime.base_url}</code>],
          [
            'Approved as',
            runtime.fingerprint === null ? 'anything that listens there' : <code>{runtime.fingerprint}</code>,
          ],
          ['Metering', runtime.metering === 'inject' ? 'asks the runtime for usage' : 'counts by itself, estimated'],
          ['Translation', runtime.translate ? 'where it lacks Messages or Responses' : 'none'],
          ['Its key', runtime.api_key ?? 'none'],
          ['Serves', runtime.models.join(', ') || 'nothing'],
        ]}
      />
      <CheckNow key={id} runtime={runtime} etag={etag} onChanged={onChanged} />
    </Dialog>
  );
}

/** Checks which server is at the address now, and whether it is the approved one. */
function CheckNow(props: { readonly runtime: Runtime; readonly etag: string; readonly onChanged: () => void }): VNode {
  const { runtime, etag, onChanged } = props;
  const { api } = useAdmin();
  const { notify } = useKit();
  const [check, setCheck] = useState<RuntimeCheck>();
  const [failure, setFailure] = useState<ApiFailure>();
  const look = async (): Promise<void> => {
    setCheck(undefined);
    const answer = await api.checkRuntime(runtime.id);
    if (answer.ok) setCheck(answer.value);
    setFailure(answer.ok ? undefined : answer.failure);
  };
  const approve = async (fingerprint: string): Promise<void> => {
    const answer = await api.approveRuntime(runtime.id, fingerprint, etag);
    setFailure(answer.ok ? undefined : answer.failure);
    // The shown check is outdated: the runtime was approved, or another server listens.
    setCheck(undefined);
    onChanged();
    if (answer.ok) notify(savedWords(answer.value));
  };
  const { finding, change } = check ?? {};
  return (
    <section class="form" aria-label="What listens there now">
      <div class="toolbar">
        <h3 class="part-title">What listens there now</h3>
        <ActionButton onAct={look}>Look now</ActionButton>
      </div>
      {failure !== undefined && <FailureNote failure={failure} />}
      <div class="form" role="status">
        {finding !== undefined && (
          <>
            <FindingFacts finding={finding} />
            {change === null ? (
              <Note tone="good">It is the approved one.</Note>
            ) : (
              <Note tone="warn">It is not the approved one: {change}.</Note>
            )}
            {change !== null && finding.fingerprint !== null && (
              <div>
                <ActionButton kind="primary" onAct={() => approve(finding.fingerprint ?? '')}>
                  Approve the present server
                </ActionButton>
              </div>
            )}
          </>
        )}
      </div>
    </section>
  );
}
