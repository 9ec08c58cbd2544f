import type { Key } from 'node:readline';
import { systemClock, type Clock } from '../../../base/index.js';
import { toPlainText } from './line-edit.js';

/** A line feed so soon after a carriage return belongs to it. */
const PAIR_MS = 100;

/** One key, or one character of a paste, as Node's decoder gives it. */
export interface Press {
  readonly text: string | undefined;
  readonly key: Key;
}

/** Puts the characters of a paste together into one press, also of one during an answer. */
export function collectPastes(
  take: (press: Press) => void,
  clock: Clock = systemClock,
): (text: string | undefined, key: Key) => void {
  let pasted: string[] | undefined;
  let returnedAt = Number.NEGATIVE_INFINITY;
  return (text, key) => {
    if (key.name === 'paste-start') pasted = [];
    else if (key.name === 'paste-end') {
      take({ text: toPlainText(pasted?.join('') ?? ''), key: { name: 'paste' } });
      pasted = undefined;
    } else if (pasted !== undefined) {
      const piece = key.sequence ?? text ?? '';
      // An escape sequence comes as one key: without its first character the rest of it would stay as text.
      if (!piece.startsWith('\x1b')) pasted.push(piece);
    } else {
      const isPair = key.sequence === '\n' && clock.nowMs() - returnedAt < PAIR_MS;
      returnedAt = key.sequence === '\r' ? clock.nowMs() : Number.NEGATIVE_INFINITY;
      if (!isPair) take({ text, key });
    }
  };
}
