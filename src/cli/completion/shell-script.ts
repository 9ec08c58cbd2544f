/** An option as a shell completes it. */
export interface CompletedOption {
  /** `--config`, and `-config` where both are accepted. */
  readonly names: readonly string[];
  readonly description: string;
  /** Its possible values; undefined for an option without a value. `words`: one of these; `path`: a file or a directory. */
  readonly value: { readonly words: readonly string[] } | 'path' | 'text' | undefined;
}

/** A command as a shell completes it. */
export interface CompletedCommand {
  /** `run`, `keys create`. */
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletedOption[];
  /** Whether the names of models can be its arguments. */
  readonly takesModels: boolean;
  /** Words that its argument is one of. */
  readonly words: readonly string[];
}

/** The input of a script. */
export interface ScriptInput {
  readonly binary: string;
  readonly commands: readonly CompletedCommand[];
  /** A command line that prints the names of models, a line each. */
  readonly listModels: string;
}

/** How a shell completes the command line of a product. */
export interface ShellScript {
  /** The command line that installs it. */
  install(binary: string): string;
  /** The script. */
  render(input: ScriptInput): string;
}
