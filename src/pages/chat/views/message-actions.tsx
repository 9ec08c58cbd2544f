import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Chat } from '../chat/chat.js';
import type { PageClock } from '../../data/index.js';
import type { Turn } from '../conversation/conversation.js';
import { copyText, Icon } from '../../kit/index.js';

const COPIED_MS = 2_000;

/** Shows which sibling turn is visible, with buttons to the others; empty for a single turn. */
export function Versions(props: {
  readonly chat: Chat;
  readonly turn: Turn;
  readonly siblings: readonly Turn[];
}): VNode | null {
  const { chat, turn, siblings } = props;
  const at = siblings.findIndex(({ id }) => id === turn.id);
  if (siblings.length < 2) return null;
  const go = (step: 1 | -1): void => {
    const next = siblings[at + step];
    if (next !== undefined) chat.show(next);
  };
  return (
    <span class="versions" role="group" aria-label="Versions">
      <button type="button" class="tool" aria-label="Version before" disabled={at === 0} onClick={() => go(-1)}>
        <Icon name="previous" />
      </button>
      <span>
        {at + 1} / {siblings.length}
      </span>
      <button
        type="button"
        class="tool"
        aria-label="Version after"
        disabled={at === siblings.length - 1}
        onClick={() => go(1)}
      >
        <Icon name="next" />
      </button>
    </span>
  );
}

/** Copies a text to the clipboard and confirms it. */
export function CopyButton({ text, clock }: { readonly text: string; readonly clock: PageClock }): VNode {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    if (!(await copyText(text))) return;
    setCopied(true);
    clock.after(COPIED_MS, () => setCopied(false));
  };
  return (
    <button
      type="button"
      class="tool"
      aria-label={isCopied ? 'Copied' : 'Copy'}
      title="Copy"
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
    </button>
  );
}
