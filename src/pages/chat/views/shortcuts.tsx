import type { VNode } from 'preact';
import { KeyboardHelp } from '../../kit/index.js';

const KEYS: readonly (readonly [string, string])[] = [
  ['Enter', 'Send the message'],
  ['Shift+Enter', 'Begin a line'],
  ['Esc', 'Stop the answer'],
  ['↑', 'Edit the last message, while the box is empty'],
  ['Ctrl+Shift+O', 'Start a new conversation'],
  ['Ctrl+K', 'Search the conversations'],
  ['Ctrl+,', 'Open the settings'],
  ['Ctrl+/', 'Show this list'],
];

/** The keyboard shortcuts. */
export function Shortcuts({ onClose }: { readonly onClose: () => void }): VNode {
  return <KeyboardHelp keys={KEYS} onClose={onClose} />;
}
