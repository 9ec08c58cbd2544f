import { Cli } from 'clipanion';
import type { CliContext } from '../context.js';
import { readCommandHelp, spellings } from '../help/command-help.js';
import type { Product } from '../product.js';
import type { CompletedCommand, CompletedOption } from './shell-script.js';

/** Value names in help that are paths. */
const PATHS = /^(?:DIR|FILE|TEMPLATE)$/;
/** Argument names in help that are models. */
const MODEL = /^[<[]model[>\]]/;

/** A product's commands for a shell, from their declarations. */
export async function completionWords({ binary, commands }: Product): Promise<CompletedCommand[]> {
  const loaded = Object.entries(commands).map(async ([name, load]): Promise<CompletedCommand> => {
    const commandClass = await load();
    const cli = Cli.from<CliContext>([commandClass], { binaryName: binary });
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
  return Promise.all(loaded);
}

function valueOf(value: string | undefined): CompletedOption['value'] {
  if (value === undefined) return undefined;
  if (value.includes('|')) return { words: value.split('|') };
  return PATHS.test(value) ? 'path' : 'text';
}

/** Shells show one line; for some of them a colon, a bracket or a quote would end it. */
function firstSentence(text: string): string {
  const [first = ''] = text.split(/(?:[.;:]\s|\.$)/);
  return first.replaceAll(/["'`[\]\\:$]/g, '').trim();
}
