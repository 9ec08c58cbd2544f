import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChatState } from '../chat/state.js';
import type { Turn } from '../conversation/conversation.js';
import type { TimedViewProps } from './view-props.js';

/** Long enough to read the notice, and to reach its button if it has one. */
const NOTICE_MS = 4_000;
const UNDO_MS = 8_000;
/** The most characters of an answer that a screen reader gets in full. */
const SPOKEN_CHARS = 400;

/** Lasting warnings: the server does not answer, or the browser stores nothing. */
export function Banners({ state, onCheck }: { readonly state: ChatState; readonly onCheck: () => void }): VNode {
  return (
    <div class="banners" role="status">
      {state.connection === 'offline' && (
        <p class="banner">
          <span>
            The server does not answer. Start it with <code>native-engine serve --http</code>. This page sees when it is
            back. Your conversations are kept in this browser.
          </span>
          <button type="button" class="button" onClick={onCheck}>
            Look again
          </button>
        </p>
      )}
      {state.storageFault !== undefined && <p class="banner">{state.storageFault}</p>}
    </div>
  );
}

/** A short message in a corner that disappears by itself. */
export function Toast({ chat, state, clock }: TimedViewProps): VNode {
  const { notice } = state;
  useEffect(() => {
    if (notice === undefined) return undefined;
    return clock.after(notice.undo === undefined ? NOTICE_MS : UNDO_MS, () => chat.notify(undefined));
  }, [notice]);
  const undo = (): void => {
    notice?.undo?.();
    chat.notify(undefined);
  };
  return (
    <div class="toasts" role="status">
      {notice !== undefined && (
        <p class="toast">
          <span>{notice.text}</span>
          {notice.undo !== undefined && (
            <button type="button" class="button" onClick={undo}>
              Undo
            </button>
          )}
        </p>
      )}
    </div>
  );
}

/** Announces the start and the outcome of an answer to screen readers, but not each word. */
export function Spoken({ state: { open, running } }: { readonly state: ChatState }): VNode {
  const [text, setText] = useState('');
  const before = useRef<string | undefined>(undefined);
  const growing = running[open.id];
  useEffect(() => {
    const ended = open.turns.find(({ id }) => id === before.current);
    if (growing !== undefined) setText('The answer begins.');
    else if (ended !== undefined) setText(spokenEnd(ended));
    before.current = growing;
  }, [growing, open.id]);
  return (
    <div class="visually-hidden" role="status" data-part="spoken">
      {text}
    </div>
  );
}

function spokenEnd({ text, failure, finish }: Turn): string {
  if (failure !== undefined) return `The answer failed. ${failure.message} ${failure.advice}`;
  const words = text.split(/\s+/).length;
  if (finish === 'stopped') return `The answer was stopped after ${words} words.`;
  return text.length > SPOKEN_CHARS ? `The answer is there: ${words} words.` : `The answer: ${text}`;
}
