import { Cli } from 'clipanion';
import type { CliContext } from '../context.js';
import { readCommandHelp, spellings } from '../help/command-help.js';
import type { Product } from '../product.js';

/** An option as a shell completes it. */
export interface CompletedOption {
  /** `--config`, and `-config` where both are taken. */
  readonly names: readonly string[];
  readonly description: string;
  /** What may follow; undefined for an option without a value. `words`: one of these; `path`: a file or a directory. */
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
  /** Words of which one is its argument. */
  readonly words: readonly string[];
}

/** What of a value is a path, by how help calls it. */
const PATHS = /^(?:DIR|FILE|TEMPLATE)$/;
/** What an argument is called that is a model. */
const MODEL = /^[<[]model[>\]]/;

/** What a shell needs to know of a product's commands, from what they declare. */
export function completionWords({ binary, commands }: Product): CompletedCommand[] {
  const cli = Cli.from<CliContext>(Object.values(commands), { binaryName: binary });
  return Object.entries(commands).map(([name, commandClass]) => {
    const help = readCommandHelp(cli, name, commandClass);
    const choice = help.arguments.map(({ shown }) => /^[<[]([a-z]+(?:\|[a-z]+)+)[>\]]$/.exec(shown)?.[1]).find(Boolean);
    return {
      name,
      description: firstSentence(help.description),
      options: [
        ...help.options.map((option) => ({
          names: option.help.negated ? [option.flag, option.flag.replace('--', '--no-')] : spellings(option),
          description: firstSentence(option.help.description),
          value: valueOf(option.value),
        })),
        { names: ['-h', '--help'], description: 'this help', value: undefined },
      ],
      takesModels: help.arguments.some(({ shown }) => MODEL.test(shown)),
      words: choice?.split('|') ?? [],
    };
  });
}

function valueOf(value: string | undefined): CompletedOption['value'] {
  if (value === undefined) return undefined;
  if (value.includes('|')) return { words: value.split('|') };
  return PATHS.test(value) ? 'path' : 'text';
}

/** Shells show a line; a colon, a bracket or a quote would end it for some of them. */
function firstSentence(text: string): string {
  const [first = ''] = text.split(/(?:[.;:]\s|\.$)/);
  return first.replaceAll(/["'`[\]\\:$]/g, '').trim();
}
