import type { VNode } from 'preact';
import { Dialog } from '../views/dialog.js';

/** A window with the keyboard shortcuts. `+` joins keys that are pressed together. */
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
