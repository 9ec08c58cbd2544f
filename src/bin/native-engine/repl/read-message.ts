import { type History, withNewest } from './history.js';
import type { LineReader, Typed } from './reader.js';

const FENCE = '"""';
const PROMPT = '>>> ';
const FENCE_PROMPT = '... ';

/** What the user says next: a message, or that they want to leave. A fenced one is no command, whatever it begins with. */
export type UserInput =
  | { readonly type: 'message'; readonly text: string; readonly isFenced: boolean }
  | { readonly type: 'interrupt' }
  | { readonly type: 'end' };

/**
 * A reader of messages: a line, a paste of several, or the lines between two `"""`. Each goes into the history whole, as
 * it was typed. `newLine` is called when Ctrl-C left the cursor behind a prompt.
 */
export function readMessages(reader: LineReader, history: History, newLine: () => void): () => Promise<UserInput> {
  let known = history.lines;
  const remember = async (text: string): Promise<void> => {
    known = withNewest(known, text);
    await history.append(text);
  };
  /** A message up to its closing fence, or how Ctrl-C or Ctrl-D ended it. */
  const readToFence = async (first: string): Promise<Typed> => {
    let text = first;
    while (!isClosed(text)) {
      const more = await reader.next(FENCE_PROMPT, known);
      if (more.type !== 'line') return more;
      text += `\n${more.text}`;
    }
    return { type: 'line', text: text.trimEnd() };
  };
  return async () => {
    for (;;) {
      const first = await reader.next(PROMPT, known);
      if (first.type === 'interrupt') newLine();
      if (first.type !== 'line') return first;
      if (!first.text.trimStart().startsWith(FENCE)) {
        const text = withoutEmptyEdges(first.text);
        await remember(text);
        return { type: 'message', text, isFenced: false };
      }
      const whole = await readToFence(first.text.trimStart());
      if (whole.type === 'end') return whole;
      if (whole.type === 'interrupt') {
        // Only the message is thrown away.
        newLine();
        continue;
      }
      await remember(whole.text);
      const inside = whole.text.slice(FENCE.length, -FENCE.length);
      return { type: 'message', text: withoutEmptyEdges(inside), isFenced: true };
    }
  };
}

/** Whether the fence that a text begins with is closed at its end. */
function isClosed(text: string): boolean {
  return text.trimEnd().length >= 2 * FENCE.length && text.trimEnd().endsWith(FENCE);
}

/** A line without the spaces around it; of several lines, the indentation of the first stays. */
function withoutEmptyEdges(text: string): string {
  const trimmed = text.replace(/^\s*\n/, '').trimEnd();
  return trimmed.includes('\n') ? trimmed : trimmed.trim();
}
