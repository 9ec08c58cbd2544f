import type { VNode } from 'preact';
import { Dialog } from '../views/dialog.js';

/** What the keyboard does, as a window. Keys that are pressed together are joined by `+`. */
export function KeyboardHelp(props: {
  readonly keys: readonly (readonly [string, string])[];
  readonly onClose: () => void;
}): VNode {
  return (
    <Dialog title="Keyboard" onClose={props.onClose}>
      <dl class="shortcuts">
        {props.keys.map(([pressed, what]) => (
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
    </Dialog>
  );
}
