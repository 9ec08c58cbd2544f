import type { BaseContext } from 'clipanion';
import type { Interrupts } from './interrupts.js';
import type { Terminal } from './terminal.js';

/** What every command gets beside its options. */
export interface CliContext extends BaseContext {
  readonly terminal: Terminal;
  readonly interrupts: Interrupts;
}
