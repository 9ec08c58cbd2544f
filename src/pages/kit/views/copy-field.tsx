import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import { copyText } from '../page/copy-text.js';
import { useKit } from '../page/kit.js';
import { Icon } from './icon.js';

/** The duration of the button's confirmation, in milliseconds. */
const SAID_MS = 2_000;

/** A text to copy, such as a secret or a command. */
export function CopyField({ label, text }: { readonly label: string; readonly text: string }): VNode {
  const { clock } = useKit();
  const id = useId();
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    setSaid((await copyText(text)) ? 'Copied' : 'The browser refused; select the text and copy it');
    clock.after(SAID_MS, () => setSaid(''));
  };
  return (
    <div class="copy-field">
      <span class="field-name" id={id}>
        {label}
      </span>
      <div class="copy-row">
        <code class="copy-text" tabIndex={0} role="group" aria-labelledby={id}>
          {text}
        </code>
        <button type="button" class="button" aria-label={`Copy: ${label}`} onClick={() => void copy()}>
          <Icon name={said === 'Copied' ? 'check' : 'copy'} />
          {said === 'Copied' ? 'Copied' : 'Copy'}
        </button>
      </div>
      <span class={said === 'Copied' ? 'visually-hidden' : 'hint'} role="status">
        {said}
      </span>
    </div>
  );
}
