import type { CommandClass } from 'clipanion';
import type { CodeTable } from '../base/index.js';
import type { CliContext } from './context.js';
import type { MenuItem } from './menu.js';
import type { Terminal } from './terminal.js';

/** Error codes by their module. */
export type CodeTables = Readonly<Record<string, CodeTable>>;

/** Loads a command, and with it the modules that it uses. */
export type CommandLoader = () => Promise<CommandClass<CliContext>>;

/** The product-specific parts of a command line: names, commands, and the error codes of its modules. */
export interface Product {
  /** The name of its installed binary. */
  readonly binary: string;
  /** Its name in help. */
  readonly label: string;
  readonly version: string;
  /** Its description in the first line of help. */
  readonly summary: string;
  /** The first command for a newcomer, after the name of the binary. */
  readonly firstCommand: string;
  /** The menu on a terminal for a command line without words. Absent: the help of all commands. */
  readonly menu?: readonly MenuItem[];
  /** Other words for commands: `ls` for `list`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Words of other programs, with the command to suggest: `rm` for `delete`. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** Headings of the help of all commands, with the commands below each; unlisted commands come last. */
  readonly sections?: Readonly<Record<string, readonly string[]>>;
  /** Printed on standard error before a command: environment variables that are ignored, and their replacements. */
  readonly hints?: (command: string, argv: readonly string[], env: Terminal['env']) => readonly string[];
  /** By their words: `run`, `keys create`. */
  readonly commands: Readonly<Record<string, CommandLoader>>;
  /** The codes of its modules. Called only after an error. */
  readonly codes: () => Promise<CodeTables>;
}
