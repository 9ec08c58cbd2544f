import { AppError, suggestion } from '../base/index.js';
import type { CommandLoader, Product } from './product.js';

/** A command and its words. */
export interface NamedCommand {
  readonly name: string;
  readonly load: CommandLoader;
}

/** The command of the first words; of `keys` and `keys create` the longer one that fits. */
export function findCommand({ commands, aliases = {} }: Product, given: readonly string[]): NamedCommand | undefined {
  const words = withoutAlias(aliases, given);
  const fitting = Object.entries(commands).filter(([name]) => startsWith(words, name.split(' ')));
  const [longest] = fitting.toSorted(([a], [b]) => b.length - a.length);
  return longest === undefined ? undefined : { name: longest[0], load: longest[1] };
}

/** A command line with aliases replaced by their commands. */
export function withoutAlias(aliases: Product['aliases'] = {}, words: readonly string[]): readonly string[] {
  const [first = '', ...rest] = words;
  return Object.hasOwn(aliases, first) ? [...(aliases[first] ?? first).split(' '), ...rest] : words;
}

/** The commands of two words whose first one is `word`: `keys create`, `keys list`. */
export function commandsOfGroup({ commands }: Product, word: string | undefined): NamedCommand[] {
  return Object.entries(commands)
    .filter(([name]) => word !== undefined && name.startsWith(`${word} `))
    .map(([name, load]) => ({ name, load }));
}

/**
 * The error for first words without a command: `unknown_command`, `unknown_option`, or `invalid_arguments` where the
 * second word is missing.
 */
export function unknownCommand(product: Product, words: readonly string[]): AppError {
  const { binary, commands, aliases = {}, synonyms = {} } = product;
  const [first = '', second] = words;
  if (first.startsWith('-')) {
    const message = `${binary} has no option ${first}. See ${binary} --help.`;
    return new AppError('unknown_option', message, { name: first });
  }
  const names = Object.keys(commands);
  const group = commandsOfGroup(product, first).map(({ name }) => name);
  if (group.length === 0) {
    // For `create` alone the second word of a command may be meant, for `kyes` the first.
    const known = Object.hasOwn(synonyms, first.toLowerCase()) ? synonyms[first.toLowerCase()] : undefined;
    const meant = known ?? names.find((name) => name.endsWith(` ${first}`));
    const hint =
      meant === undefined
        ? suggestion(first, [...firstWords(names), ...Object.keys(aliases)])
        : ` Did you mean ${meant}?`;
    return new AppError('unknown_command', `There is no command ${first}.${hint} See ${binary} --help.`, {
      name: first,
    });
  }
  const see = `See ${binary} ${first} --help.`;
  if (second === undefined || second.startsWith('-')) {
    const message = `${first} needs a second word: ${group.map((name) => name.slice(first.length + 1)).join(', ')}. ${see}`;
    return new AppError('invalid_arguments', message, { command: first });
  }
  const given = `${first} ${second}`;
  return new AppError('unknown_command', `There is no command ${given}.${suggestion(given, group)} ${see}`, {
    name: given,
  });
}

function firstWords(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.split(' ', 1)[0] ?? name))];
}

function startsWith(words: readonly string[], begin: readonly string[]): boolean {
  return begin.every((word, i) => words[i] === word);
}
