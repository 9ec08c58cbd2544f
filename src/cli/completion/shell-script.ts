import type { CompletedCommand } from './completion-words.js';

/** What a script is made of. */
export interface ScriptInput {
  readonly binary: string;
  readonly commands: readonly CompletedCommand[];
  /** A command line that prints the names of models, a line each. */
  readonly listModels: string;
}

/** How a shell completes the command line of a product. */
export interface ShellScript {
  /** What a user types to have it. */
  install(binary: string): string;
  /** The script. */
  render(input: ScriptInput): string;
}
