import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { shownTurns } from '../conversation/branches.js';
import { Icon, useMedia } from '../../kit/index.js';
import { count } from './numbers.js';
import type { ViewProps } from './view-props.js';

/** The page warns of a nearly full context above this share. */
const NEARLY_FULL = 0.8;

/** The message field, with the remaining context. */
export function Composer({ chat, state }: ViewProps): VNode {
  const { open, running } = state;
  const field = useRef<HTMLTextAreaElement>(null);
  /** Unsent texts, by conversation. */
  const drafts = useRef(new Map<string, string>());
  const [text, setText] = useState('');
  const isRunning = running[open.id] !== undefined;
  // On an on-screen keyboard, Enter is the only way to begin a new line.
  const isTouched = useMedia('(hover: none) and (pointer: coarse)');

  useEffect(() => {
    setText(drafts.current.get(open.id) ?? '');
    if (!isTouched) field.current?.focus();
  }, [open.id]);
  useLayoutEffect(() => {
    const { current: area } = field;
    if (area === null) return;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight}px`;
  }, [text]);

  const write = (next: string): void => {
    drafts.current.set(open.id, next);
    setText(next);
  };
  const send = (): void => {
    if (isRunning || text.trim() === '') return;
    chat.sendMessage(text);
    write('');
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing && !isTouched) {
      event.preventDefault();
      send();
    } else if (event.key === 'ArrowUp' && text === '') {
      const buttons = document.querySelectorAll<HTMLButtonElement>('.question .edit:enabled');
      event.preventDefault();
      Array.from(buttons).at(-1)?.click();
    }
  };

  return (
    <div class="composer">
      <div class="composer-box">
        <textarea
          ref={field}
          id="message"
          rows={1}
          dir="auto"
          value={text}
          placeholder="Write a message"
          aria-label="Message"
          enterkeyhint={isTouched ? 'enter' : 'send'}
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {isRunning ? (
          <button type="button" class="send" aria-label="Stop the answer" title="Stop (Esc)" onClick={chat.stop}>
            <Icon name="stop" />
          </button>
        ) : (
          <button
            type="button"
            class="send"
            aria-label="Send"
            title="Send (Enter)"
            disabled={text.trim() === ''}
            onClick={send}
          >
            <Icon name="send" />
          </button>
        )}
      </div>
      <div class="composer-foot">
        <ContextUse chat={chat} state={state} />
        <span class="hint keys">
          <kbd>Enter</kbd> sends, <kbd>Shift</kbd> <kbd>Enter</kbd> begins a line
        </span>
      </div>
    </div>
  );
}

/** The part of the context that the conversation uses, if the server reports it. */
function ContextUse({ chat, state }: ViewProps): VNode | null {
  const usage = shownTurns(state.open).findLast((turn) => turn.usage !== undefined)?.usage;
  if (usage === undefined) return null;
  const used = usage.promptTokens + usage.completionTokens;
  const most = state.models.find(({ id }) => id === chat.model())?.contextLength;
  if (most === undefined) return <span class="hint">{count(used)} tokens of context</span>;
  const isNearlyFull = used > NEARLY_FULL * most;
  return (
    <span class={isNearlyFull ? 'hint context full' : 'hint context'}>
      <meter aria-label="Context in use" min={0} max={most} value={Math.min(used, most)} />
      {count(used)} of {count(most)} tokens of context
      {isNearlyFull && '; start a new conversation soon'}
    </span>
  );
}
