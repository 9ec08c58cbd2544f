import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiAnswer, ApiFailure } from '../data/index.js';
import { Confirm, Icon, useKit } from '../kit/index.js';
import type { Saved } from './api/config-answers.js';
import { savedWords } from './saved-note.js';

/** Actions on an entry of gateway.yaml. */
export interface EntryActs {
  readonly id: string;
  /** The window that changes the entry. */
  readonly edit: (ways: { readonly onSaved: () => void; readonly onClose: () => void }) => VNode;
  readonly remove: () => Promise<ApiAnswer<Saved>>;
  /** The effect of its removal. */
  readonly warning: ComponentChildren;
  readonly onChanged: () => void;
  /** Called after the removal. */
  readonly onRemoved: () => void;
}

/** Buttons that change or remove an entry of gateway.yaml, with their windows. */
export function EntryButtons({ id, edit, remove, warning, onChanged, onRemoved }: EntryActs): VNode {
  const { notify } = useKit();
  const [act, setAct] = useState<'edit' | 'remove'>();
  const close = (): void => setAct(undefined);
  const onSaved = (): void => {
    close();
    onChanged();
  };
  const onConfirm = async (): Promise<ApiFailure | undefined> => {
    const answer = await remove();
    if (!answer.ok) return answer.failure;
    notify(savedWords(answer.value));
    onChanged();
    onRemoved();
    return undefined;
  };
  return (
    <>
      <button type="button" class="button small" onClick={() => setAct('edit')}>
        <Icon name="edit" /> Change
      </button>
      <button type="button" class="button small danger" onClick={() => setAct('remove')}>
        <Icon name="trash" /> Remove
      </button>
      {act === 'edit' && edit({ onSaved, onClose: close })}
      {act === 'remove' && (
        <Confirm title={`Remove ${id}?`} action="Remove" isDanger onConfirm={onConfirm} onClose={close}>
          {warning}
        </Confirm>
      )}
    </>
  );
}
