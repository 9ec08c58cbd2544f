import type { BaseContext } from 'clipanion';
import type { CompletedCommand } from './completion/shell-script.js';
import type { Interrupts } from './interrupts.js';
import type { Terminal } from './terminal.js';

/** The context of every command besides its options. */
export interface CliContext extends BaseContext {
  readonly terminal: Terminal;
  readonly interrupts: Interrupts;
  /** The name under which the package installs the product. */
  readonly binary: string;
  /** The product's commands, as shells complete them. */
  readonly describeCommands: () => Promise<readonly CompletedCommand[]>;
}
