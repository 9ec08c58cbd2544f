import type { OnProgress } from '../../artifact/index.js';
import { openStatusLine, sizeText, type Screen } from '../../cli/index.js';

/** Shows how much of an artifact was hashed, as a status line: `verifying ./model: 40 % of 1.2 GiB`. */
export function openHashProgress(
  terminal: Screen,
  word: string,
  directory: string,
): Disposable & { readonly onProgress: OnProgress } {
  const line = openStatusLine(terminal);
  return {
    onProgress({ doneBytes, totalBytes }) {
      const share = totalBytes > 0 ? doneBytes / totalBytes : 1;
      line.show(share, (bar) => `${word} ${directory}: ${bar}${Math.floor(share * 100)} % of ${sizeText(totalBytes)}`);
    },
    [Symbol.dispose]: () => line.clear(),
  };
}
