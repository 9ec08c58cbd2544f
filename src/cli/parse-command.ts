import type { Cli } from 'clipanion';
import { AppError, isError, suggestion } from '../base/index.js';
import type { CliContext } from './context.js';
import { type CommandHelp, spellings, usageLine } from './help/command-help.js';

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
    const negated = help.options.filter((option) => option.help.negated).map(({ flag }) => flag.replace('--', '--no-'));
    const names = ['--help', ...help.options.flatMap(spellings), ...negated];
    const unknown = flags
      .map((flag) => flag.split('=', 1)[0] ?? flag)
      .find((flag) => /^-+[a-z]/i.test(flag) && !names.includes(flag));
    if (unknown !== undefined) {
      const message = `${help.name} has no option ${unknown}.${suggestion(unknown, names)} See ${binary} ${help.name} --help.`;
      throw new AppError('unknown_option', message, { option: unknown }, { cause: error });
    }
    const [, example] = help.examples[0] ?? [];
    const such = example === undefined ? '' : ` Example: ${example}`;
    const usage = usageLine(binary, help);
    const end = usage.endsWith('.') ? '' : '.';
    const message = `${help.name}: ${describeSyntaxError(error, argv, flags, help)} Usage: ${usage}${end}${such}`;
    throw new AppError('invalid_arguments', message, { command: help.name }, { cause: error });
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

/** Describes the mistake in arguments whose options are all known. */
function describeSyntaxError(
  error: unknown,
  argv: readonly string[],
  flags: readonly string[],
  { name, options, arguments: places }: CommandHelp,
): string {
  // With options among the words, the number of arguments is unknown.
  const typed = flags.some((flag) => flag.startsWith('-')) ? 0 : argv.length - name.split(' ').length;
  const next = places[typed];
  if ((typed > 0 || argv.length === name.split(' ').length) && next?.shown.startsWith('<') === true)
    return `${next.shown.replace(/\.\.\.$/, '')} is missing.`;
  const absent = options.find(
    (option) =>
      option.required &&
      !flags.some((given) => spellings(option).some((flag) => given === flag || given.startsWith(`${flag}=`))),
  );
  if (absent !== undefined) return `${spellings(absent)[0]} is missing.`;
  // clipanion puts its reason on the first line, unless it has several or none.
  const reason = isError(error) ? (error.message.split('\n', 1)[0] ?? '') : '';
  return reason === '' || reason.startsWith('Command not found')
    ? 'there is an argument too many or too few, or one that belongs in quotes.'
    : reason;
}
