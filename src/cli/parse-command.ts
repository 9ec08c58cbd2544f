import type { Cli, CommandClass } from 'clipanion';
import { AppError, isError, suggestion } from '../base/index.js';
import type { CliContext } from './context.js';

/** The name under which the package installs this command line. */
export const BINARY = 'native-engine';

/** The command of a command line. Throws `unknown_option`, `invalid_arguments`. */
export function parseCommand(
  cli: Cli<CliContext>,
  argv: readonly string[],
  flags: readonly string[],
  commandClass: CommandClass<CliContext>,
  context: CliContext,
) {
  try {
    return cli.process(joinNegatives(argv), context);
  } catch (error) {
    const usage = withValueNames(cli.usage(commandClass, { colored: false }).trim());
    const known = [...cli.usage(commandClass, { colored: false, detailed: true }).matchAll(/--[a-z][a-z-]*/g)].map(
      ([flag]) => flag,
    );
    const names = [...new Set(['--help', '--no-think', ...known])];
    const unknown = flags
      .map((flag) => flag.split('=', 1)[0] ?? flag)
      .find((flag) => /^-+[a-z]/i.test(flag) && !names.includes(flag));
    if (unknown !== undefined) {
      const message = `${argv[0]} has no option ${unknown}.${suggestion(unknown, names)} See ${BINARY} ${argv[0]} --help.`;
      throw new AppError('unknown_option', message, { option: unknown }, { cause: error });
    }
    const message = `${argv[0]}: ${describeSyntaxError(error, usage, flags)} Usage: ${withoutOptions(usage)}`;
    throw new AppError('invalid_arguments', message, { command: argv[0] ?? '' }, { cause: error });
  }
}

/** `--seed -1` as `--seed=-1`: clipanion takes what begins with a dash for an option. */
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

/** What is wrong with arguments whose options are all known. */
function describeSyntaxError(error: unknown, usage: string, flags: readonly string[]): string {
  const required = [...usage.matchAll(/<(--[a-z-]+)/g)].map(([, flag]) => flag ?? '');
  const absent = required.find((flag) => !flags.some((given) => given === flag || given.startsWith(`${flag}=`)));
  if (absent !== undefined) return `${absent} is missing.`;
  // clipanion puts its reason on the first line, unless it has several or none.
  const reason = isError(error) ? (error.message.split('\n', 1)[0] ?? '') : '';
  return reason === '' || reason.startsWith('Command not found')
    ? 'there is an argument too many or too few, or one that belongs in quotes.'
    : reason;
}

/** `native-engine run <model> [prompt]` of the long form with every option in it. */
function withoutOptions(usage: string): string {
  return usage.replace(/^\$ /, '').replace(/ \[--[^\]]*\]/g, '');
}

/** Help as clipanion prints it, with a word where it has a placeholder. */
export function withValueNames(usage: string): string {
  return usage.replace(/^( {2}--[a-z-]+)(?= {2})/gm, '$1   ').replaceAll('#0', 'VALUE');
}

/** The error for a first word that is no command. */
export function unknownCommand(name: string, names: readonly string[]): AppError {
  const message = name.startsWith('-')
    ? `${BINARY} has no option ${name}. See ${BINARY} --help.`
    : `There is no command ${name}.${suggestion(name, names)} See ${BINARY} --help.`;
  return new AppError(name.startsWith('-') ? 'unknown_option' : 'unknown_command', message, { name });
}
