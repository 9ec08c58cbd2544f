import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiFailure } from '../../data/index.js';
import { ActionButton, Card, Confirm, Dialog, Facts, FailureNote, Note, Time, useKit } from '../../kit/index.js';
import { LABELS } from '../../../words/index.js';
import type { Gateway } from '../api/operator-api.js';
import { useOperator } from '../operator-state.js';
import { GatewayState } from './gateway-state.js';

/** A gateway with its models and actions. */
export function GatewayDetails(props: {
  readonly gateway: Gateway;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}): VNode {
  const { gateway, onChanged, onClose } = props;
  const { api } = useOperator();
  const { notify, formats } = useKit();
  const [failure, setFailure] = useState<ApiFailure>();
  const [isRemoving, setRemoving] = useState(false);
  const { slug, state, offered_models: models } = gateway;
  const act = async (operation: string, params: object, said: string): Promise<ApiFailure | undefined> => {
    const answer = await api.run(operation, { slug, ...params });
    setFailure(answer.ok ? undefined : answer.failure);
    onChanged();
    if (answer.ok) notify(said);
    return answer.ok ? undefined : answer.failure;
  };
  const next = state === 'active' ? 'disabled' : 'active';
  return (
    <Dialog title={gateway.name} shape="side" onClose={onClose}>
      <Facts
        facts={[
          ['Path', <code>/pgw/{slug}/v1</code>],
          [LABELS.address, gateway.base_url],
          [LABELS.state, <GatewayState gateway={gateway} />],
          ['Credential', gateway.has_credential ? 'set' : 'none'],
          ['Streams', gateway.metering === 'inject' ? 'asked for their usage' : 'not asked for their usage'],
          [LABELS.read, <Time at={gateway.synced_at} never="never" />],
          [LABELS.staleSince, gateway.stale_since === null ? undefined : <Time at={gateway.stale_since} />],
        ]}
      />
      {gateway.last_error !== null && <Note tone="warn">{gateway.last_error}</Note>}
      <div class="toolbar">
        <ActionButton onAct={() => act('gateways.sync', {}, 'Asked')}>Ask now</ActionButton>
        <ActionButton
          onAct={() => act('gateways.set-state', { state: next }, next === 'active' ? 'Enabled' : 'Disabled')}
        >
          {state === 'active' ? 'Disable' : 'Enable'}
        </ActionButton>
        <button type="button" class="button danger" onClick={() => setRemoving(true)}>
          Remove
        </button>
      </div>
      {failure !== undefined && <FailureNote failure={failure} />}
      <Card title={`${models.length} of ${formats.counted(gateway.listed_models, 'model')} offered`}>
        <ul class="rows">
          {models.map((id) => (
            <li key={id}>
              <code>{id}</code>
            </li>
          ))}
        </ul>
      </Card>
      {isRemoving && (
        <Confirm
          title={`Remove ${slug}?`}
          action="Remove"
          isDanger
          onConfirm={async () => {
            const failed = await act('gateways.remove', {}, 'Removed');
            if (failed === undefined) onClose();
            return failed;
          }}
          onClose={() => setRemoving(false)}
        >
          Its path and its models are there no more. Its prices stay, under its slug.
        </Confirm>
      )}
    </Dialog>
  );
}
