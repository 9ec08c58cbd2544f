import type { Cli } from 'clipanion';
import { AppError, isError, suggestion } from '../base/index.js';
import type { CliContext } from './context.js';
import { type CommandHelp, type OptionLine, spellings, usageLine } from './help/command-help.js';

/** The command of a command line. Throws `unknown_option`, `invalid_arguments`. */
export function parseCommand(
  cli: Cli<CliContext>,
  argv: readonly string[],
  flags: readonly string[],
  help: CommandHelp,
  context: CliContext,
) {
  const binary = cli.binaryName;
  try {
    return cli.process(joinNegatives(argv), context);
  } catch (error) {
    const { missingValue } = readLine(flags, help);
    if (missingValue !== undefined) throw invalidArguments(missingValue, binary, help, error);
    const negated = help.options.filter((option) => option.help.negated).map(({ flag }) => flag.replace('--', '--no-'));
    const names = ['--help', ...help.options.flatMap(spellings), ...negated];
    const unknown = flags
      .map((flag) => flag.split('=', 1)[0] ?? flag)
      .find((flag) => /^-+[a-z]/i.test(flag) && !names.includes(flag));
    if (unknown !== undefined) {
      const message = `${help.name} has no option ${unknown}.${suggestion(unknown, names)} See ${binary} ${help.name} --help.`;
      throw new AppError('unknown_option', message, { option: unknown }, { cause: error });
    }
    throw invalidArguments(describeSyntaxError(error, argv, flags, help), binary, help, error);
  }
}

/** `--seed -1` as `--seed=-1`: clipanion reads a word with a leading dash as an option. */
export function joinNegatives(argv: readonly string[]): string[] {
  const joined: string[] = [];
  for (const [i, arg] of argv.entries()) {
    const option = joined.at(-1);
    const isValue = /^-(\d+\.?\d*|\.\d+)$/.test(arg) && option !== undefined && /^--[a-z-]+$/.test(option);
    if (isValue && !argv.slice(0, i).includes('--')) joined.push(`${joined.pop()}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}

function invalidArguments(mistake: string, binary: string, help: CommandHelp, cause: unknown): AppError {
  const [, example] = help.examples[0] ?? [];
  const such = example === undefined ? '' : ` Example: ${example}`;
  const usage = usageLine(binary, help);
  const end = usage.endsWith('.') ? '' : '.';
  const message = `${help.name}: ${mistake} Usage: ${usage}${end}${such}`;
  return new AppError('invalid_arguments', message, { command: help.name }, { cause });
}

/** The parts of a command line. */
interface LineParts {
  /** The arguments after the words of the command. */
  readonly places: readonly string[];
  readonly given: ReadonlySet<OptionLine>;
  /** The mistake of the first option that takes a value and has none: the line ends there, or another option comes next. */
  readonly missingValue: string | undefined;
}

function readLine(flags: readonly string[], help: CommandHelp): LineParts {
  const words = joinNegatives(flags);
  const places: string[] = [];
  const given = new Set<OptionLine>();
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    const option = optionOf(help, word.split('=', 1)[0] ?? word);
    if (option !== undefined) given.add(option);
    else if (!word.startsWith('-') || word === '-') places.push(word);
    if (option?.value === undefined || word.includes('=')) continue;
    const next = words[++i];
    if (next !== undefined && (next === '-' || !next.startsWith('-'))) continue;
    // A word such as `-x` may be meant as the value.
    const isMeant = next !== undefined && optionOf(help, next.split('=', 1)[0] ?? next) === undefined;
    const how = isMeant ? `; a value that begins with a dash is written ${word}=${next}` : '';
    const missingValue = `${word} needs a value: ${word} ${option.value} (${option.help.description})${how}.`;
    return { places, given, missingValue };
  }
  return { places: places.slice(help.name.split(' ').length), given, missingValue: undefined };
}

function optionOf({ options }: CommandHelp, word: string): OptionLine | undefined {
  return options.find((option) => spellings(option).includes(word));
}

/** Describes the mistake in arguments whose options are all known and have their values. */
function describeSyntaxError(
  error: unknown,
  argv: readonly string[],
  flags: readonly string[],
  help: CommandHelp,
): string {
  const { places, given } = readLine(flags, help);
  const next = help.arguments[places.length + argv.slice(flags.length + 1).length];
  if (next?.shown.startsWith('<') === true) return `${next.shown.replace(/\.\.\.$/, '')} is missing.`;
  const absent = help.options.find((option) => option.required && !given.has(option));
  if (absent !== undefined) return `${spellings(absent)[0]} is missing.`;
  // clipanion puts its reason on the first line, unless it has several or none.
  const reason = isError(error) ? (error.message.split('\n', 1)[0] ?? '') : '';
  const [, kind, word = ''] =
    /^(Extraneous positional argument|Invalid option name) \("([^]*)"\)\.$/.exec(reason) ?? [];
  if (kind === 'Extraneous positional argument') return `${JSON.stringify(word)} is one argument too many.`;
  if (kind !== undefined && word.includes('=')) return `${word.split('=', 1)[0]} takes no value.`;
  return reason === '' || reason.startsWith('Command not found')
    ? 'there is an argument too many or too few, or one that belongs in quotes.'
    : reason;
}
