import type { VNode } from 'preact';
import { Dialog } from '../views/dialog.js';

const KEYS: readonly (readonly [string, string])[] = [
  ['Ctrl+K', 'Search in the section'],
  ['↑', 'The row before'],
  ['↓', 'The row after'],
  ['Home', 'The first row'],
  ['End', 'The last row that is there'],
  ['Enter', 'Open the row'],
  ['Ctrl+S', 'Save the text of the editor'],
  ['Esc', 'Close what is open'],
  ['Ctrl+/', 'Show this list'],
];

/** What the keyboard does on a page of sections. */
export function Shortcuts({ onClose }: { readonly onClose: () => void }): VNode {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <KeyList keys={KEYS} />
    </Dialog>
  );
}

/** Keys and what they do. */
export function KeyList({ keys }: { readonly keys: readonly (readonly [string, string])[] }): VNode {
  return (
    <>
      <dl class="shortcuts">
        {keys.map(([pressed, what]) => (
          <div key={pressed}>
            <dt>
              {pressed.split('+').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">On a Mac, ⌘ in place of Ctrl.</p>
    </>
  );
}
