import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { toAddress, type ApiFailure } from '../../data/index.js';
import { Confirm, Dialog, Facts, Icon, Link, LoadedView, Time, useKit, useLoad, useNow } from '../../kit/index.js';
import { LABELS, originText } from '../../../words/index.js';
import { useAdmin } from '../admin.js';
import type { Key, KeyWithSecret } from '../api/key-answers.js';
import { EditKey, RotateKey } from './key-dialogs.js';
import { KeyLimits } from './key-limits.js';
import { KeyStateBadge } from './key-state.js';
import { KeyUsage } from './key-usage.js';

/** Refresh interval of an open key's usage, in milliseconds. */
const LOOK_MS = 5_000;
type Act = 'edit' | 'rotate' | 'reset' | 'disable' | 'revoke';

/** One key: its limits with their current usage, its usage by day, and actions. */
export function KeyDetails(props: {
  readonly id: string;
  readonly onChanged: (key: Key) => void;
  readonly onMade: (made: KeyWithSecret) => void;
  readonly onClose: () => void;
}): VNode {
  const { id, onChanged, onMade, onClose } = props;
  const { api } = useAdmin();
  const { notify } = useKit();
  const loaded = useLoad((call) => api.key(id, call), [id], LOOK_MS);
  const [act, setAct] = useState<Act>();
  const done = (key: Key, words: string): void => {
    loaded.put({ key }, key.etag);
    onChanged(key);
    setAct(undefined);
    notify(words);
  };
  const setState = async (state: 'active' | 'disabled' | 'revoked', words: string): Promise<ApiFailure | undefined> => {
    const answer = await api.setKeyState(id, state);
    if (!answer.ok) return answer.failure;
    done(answer.value.key, words);
    return undefined;
  };
  const resetBudgets = async (): Promise<ApiFailure | undefined> => {
    const answer = await api.resetBudgets(id);
    if (!answer.ok) return answer.failure;
    done(answer.value.key, 'The budgets are full again.');
    return undefined;
  };
  const enable = async (): Promise<void> => {
    const failure = await setState('active', 'The key is active.');
    if (failure !== undefined) notify(failure.message);
  };
  const key = loaded.value?.key;
  return (
    <>
      <Dialog title={key?.name ?? 'Key'} shape="side" onClose={onClose}>
        <LoadedView loaded={loaded} lines={10}>
          {({ key: shown }) => (
            <div class="form">
              <div class="toolbar">
                <KeyStateBadge state={shown.state} />
                <span class="toolbar-space" />
                <button type="button" class="button small" onClick={() => setAct('edit')}>
                  <Icon name="edit" /> Change
                </button>
                {shown.state !== 'revoked' && (
                  <button type="button" class="button small" onClick={() => setAct('rotate')}>
                    <Icon name="retry" /> Rotate
                  </button>
                )}
                {shown.state === 'active' && (
                  <button type="button" class="button small" onClick={() => setAct('disable')}>
                    Disable
                  </button>
                )}
                {shown.state === 'disabled' && (
                  <button type="button" class="button small" onClick={() => void enable()}>
                    Enable
                  </button>
                )}
                {shown.state !== 'revoked' && (
                  <button type="button" class="button small danger" onClick={() => setAct('revoke')}>
                    Revoke
                  </button>
                )}
              </div>
              <KeyFacts shown={shown} />
              <KeyLimits limits={shown.limits} />
              {shown.limits.budgets.length > 0 && (
                <div>
                  <button type="button" class="button small" onClick={() => setAct('reset')}>
                    Reset the budgets
                  </button>
                </div>
              )}
              <KeyUsage id={shown.id} used={shown.used} />
              <Link to={toAddress({ path: '/requests', query: { key_id: shown.id } })}>Requests of this key</Link>
              <Link to={toAddress({ path: '/metrics', query: { key_id: shown.id } })}>Charts of this key</Link>
            </div>
          )}
        </LoadedView>
      </Dialog>
      {key !== undefined && act === 'edit' && (
        <EditKey
          shown={key}
          onSaved={(saved) => done(saved, 'Saved.')}
          onTheirs={() => {
            setAct(undefined);
            loaded.reload();
          }}
          onClose={() => setAct(undefined)}
        />
      )}
      {key !== undefined && act === 'rotate' && (
        <RotateKey
          shown={key}
          onMade={(made) => {
            loaded.put({ key: made.key }, made.key.etag);
            setAct(undefined);
            onMade(made);
          }}
          onClose={() => setAct(undefined)}
        />
      )}
      {key !== undefined && act === 'reset' && (
        <Confirm
          title={`Reset the budgets of ${key.name}?`}
          action="Reset"
          onConfirm={resetBudgets}
          onClose={() => setAct(undefined)}
        >
          <p>Its earlier usage no longer counts in the present windows. Usage and costs stay recorded.</p>
        </Confirm>
      )}
      {key !== undefined && act === 'disable' && (
        <Confirm
          title={`Disable ${key.name}?`}
          action="Disable"
          onConfirm={() => setState('disabled', 'The key is disabled.')}
          onClose={() => setAct(undefined)}
        >
          <p>Its requests are refused from now on, and those under way end within a second. It can be enabled again.</p>
        </Confirm>
      )}
      {key !== undefined && act === 'revoke' && (
        <Confirm
          title={`Revoke ${key.name} for good?`}
          action="Revoke"
          isDanger
          onConfirm={() => setState('revoked', 'The key is revoked.')}
          onClose={() => setAct(undefined)}
        >
          <p>Its requests are refused from now on, and those under way end within a second.</p>
          <p>A revoked key does not come back: its clients need another one.</p>
        </Confirm>
      )}
    </>
  );
}

function KeyFacts({ shown }: { readonly shown: Key }): VNode {
  const now = useNow(30_000);
  const { models } = shown;
  return (
    <Facts
      facts={[
        ['Id', <code>{shown.id}</code>],
        ['Begins with', <code>{shown.prefix}</code>],
        [LABELS.origin, originText(shown.origin)],
        ['Models', models === null ? 'all' : models.length === 0 ? 'none' : models.join(', ')],
        [LABELS.created, <Time at={shown.created_at} />],
        ['Last used', <Time at={shown.last_used_at} now={now} never="never" />],
        ['Expires', <Time at={shown.expires_at} never="never" />],
        ['The secret before works until', shown.grace_until === null ? undefined : <Time at={shown.grace_until} />],
      ]}
    />
  );
}
