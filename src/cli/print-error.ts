import { toErrorData } from '../base/index.js';
import type { Terminal } from './terminal.js';

/** Error and code on standard error, without a stack. */
export function printError(terminal: Terminal, error: unknown): void {
  const { code, message } = toErrorData(error);
  terminal.stderr.write(`error: ${message}\ncode: ${code}\n`);
}
