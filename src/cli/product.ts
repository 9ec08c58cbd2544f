import type { CommandClass } from 'clipanion';
import type { CodeTable } from '../base/index.js';
import type { CliContext } from './context.js';
import type { MenuItem } from './menu.js';
import type { Terminal } from './terminal.js';

/** Error codes by the module that declares them. */
export type CodeTables = Readonly<Record<string, CodeTable>>;

/** What is one product's own of a command line: its names, its commands, and the errors that its modules make. */
export interface Product {
  /** The name under which the package installs it. */
  readonly binary: string;
  /** What its help calls it. */
  readonly label: string;
  readonly version: string;
  /** What it is, for the first line of its help. */
  readonly summary: string;
  /** What a newcomer types first, behind the name of the binary. */
  readonly firstCommand: string;
  /** What a person without any idea is offered on a terminal. Absent: the help of all commands. */
  readonly menu?: readonly MenuItem[];
  /** Other words for commands: `ls` for `list`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Words of other programs for commands, of which one is reminded: `delete` of `rm`. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** Headings of the help of all commands, with the commands below each; those that none names come last. */
  readonly sections?: Readonly<Record<string, readonly string[]>>;
  /** Said on standard error before a command: what of the environment is not read, and what is read instead. */
  readonly hints?: (command: string, argv: readonly string[], env: Terminal['env']) => readonly string[];
  /** By their words: `run`, `keys create`. */
  readonly commands: Readonly<Record<string, CommandClass<CliContext>>>;
  /** The codes of the modules that it loads. It is called when there is an error, and not before. */
  readonly codes: () => Promise<CodeTables>;
}
