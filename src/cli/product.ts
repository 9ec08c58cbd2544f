import type { CommandClass } from 'clipanion';
import type { CodeTable } from '../base/index.js';
import type { CliContext } from './context.js';

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
  /** By their words: `run`, `keys create`. */
  readonly commands: Readonly<Record<string, CommandClass<CliContext>>>;
  /** The codes of the modules that it loads. It is called when there is an error, and not before. */
  readonly codes: () => Promise<CodeTables>;
}
