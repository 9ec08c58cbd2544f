import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { MessageProps } from './answer.js';
import { Icon } from '../../kit/index.js';
import { CopyButton, Versions } from './message-actions.js';

/** A message of the user, with a field to edit it. */
export function Question({ chat, clock, turn, siblings, isBusy }: MessageProps): VNode {
  const [isEdited, setEdited] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasEdited = useRef(false);
  useLayoutEffect(() => {
    // Returns the focus to the button that opened the editor.
    if (wasEdited.current && !isEdited) button.current?.focus();
    wasEdited.current = isEdited;
  }, [isEdited]);
  if (isEdited) {
    const send = (text: string): void => {
      setEdited(false);
      chat.sendMessage(text, turn.parent);
      document.getElementById('message')?.focus();
    };
    return <Editor text={turn.text} onSend={send} onCancel={() => setEdited(false)} />;
  }
  return (
    <article class="message question" aria-label="You">
      <div class="bubble" dir="auto">
        {turn.text}
      </div>
      <footer class="message-footer">
        <Versions chat={chat} turn={turn} siblings={siblings} />
        <CopyButton text={turn.text} clock={clock} />
        <button
          ref={button}
          type="button"
          class="tool edit"
          aria-label="Edit"
          title="Edit, and go on from here"
          disabled={isBusy}
          onClick={() => setEdited(true)}
        >
          <Icon name="edit" />
        </button>
      </footer>
    </article>
  );
}

function Editor(props: {
  readonly text: string;
  readonly onSend: (text: string) => void;
  readonly onCancel: () => void;
}): VNode {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(props.text);
  useLayoutEffect(() => {
    const { current: area } = field;
    area?.focus();
    area?.setSelectionRange(area.value.length, area.value.length);
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      props.onCancel();
    } else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      if (text.trim() !== '') props.onSend(text);
    }
  };
  return (
    <article class="message question editor" aria-label="Edit your message">
      <textarea
        ref={field}
        dir="auto"
        aria-label="Message"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="editor-row">
        <span class="hint">The old message and its answers are kept as another version.</span>
        <button type="button" class="button" onClick={props.onCancel}>
          Cancel
        </button>
        <button type="button" class="button primary" disabled={text.trim() === ''} onClick={() => props.onSend(text)}>
          Send
        </button>
      </div>
    </article>
  );
}
