import { Cli } from 'clipanion';
import type { CliContext } from '../context.js';
import { readCommandHelp, spellings } from '../help/command-help.js';
import type { Product } from '../product.js';
import type { CompletedCommand, CompletedOption } from './shell-script.js';

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
