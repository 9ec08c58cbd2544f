import type { Terminal } from '../../cli/index.js';
import type { OnNotice } from '../../convert/index.js';

/** Prints notices to standard error, a line each; what the model cannot do, as a warning. */
export function printNotices({ stderr }: Terminal): OnNotice {
  return ({ kind, text }) => void stderr.write(`${kind === 'no_tokenizer' ? 'warning: ' : ''}${text}\n`);
}
