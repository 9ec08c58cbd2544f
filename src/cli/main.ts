import { Cli, type CommandClass } from 'clipanion';
import { AppError, toErrorData } from '../base/index.js';
import { commands } from './commands/index.js';
import type { CliContext } from './context.js';
import { toExitCode } from './exit-codes.js';
import type { Interrupts } from './interrupts.js';
import { printError } from './print-error.js';
import { suggestion } from './suggest.js';
import type { Terminal } from './terminal.js';
import { version } from './version.js';

const BINARY = 'native-engine';

/** Runs one command line and returns its exit status. The only place where errors of a command are caught. */
export async function main(argv: readonly string[], terminal: Terminal, interrupts: Interrupts): Promise<number> {
  try {
    return await dispatch(argv, terminal, interrupts);
  } catch (error) {
    if (terminal.closed.aborted) return 0;
    const { code } = toErrorData(error);
    if (code !== 'interrupted') printError(terminal, error);
    if (argv.includes('--debug') && error instanceof Error) terminal.stderr.write(`${error.stack}\n`);
    return toExitCode(code);
  }
}

async function dispatch(argv: readonly string[], terminal: Terminal, interrupts: Interrupts): Promise<number> {
  const { env, stdin, stdout, stderr } = terminal;
  const classes: CommandClass<CliContext>[] = Object.values(commands);
  const cli = Cli.from<CliContext>(classes, { binaryName: BINARY, binaryLabel: 'Troupe', binaryVersion: version() });
  const separator = argv.indexOf('--');
  const flags = separator === -1 ? argv : argv.slice(0, separator);
  const [name] = argv;
  const commandClass = name !== undefined && Object.hasOwn(commands, name) ? findCommand(name) : undefined;
  if (name === '--version' || name === '-v') {
    stdout.write(`${version()}\n`);
    return 0;
  }
  if (name === undefined || flags.includes('--help') || flags.includes('-h') || name === 'help') {
    stdout.write(cli.usage(commandClass ?? null, { colored: false, detailed: true }));
    return 0;
  }
  if (commandClass === undefined) throw unknownCommand(name);
  const context = { terminal, interrupts, stdin, stdout, stderr, env: { ...env }, colorDepth: 1 };
  const command = parse(cli, argv, flags, commandClass, context);
  return (await command.validateAndExecute()) ?? 0;
}

function findCommand(name: string): CommandClass<CliContext> | undefined {
  return Object.entries(commands).find(([key]) => key === name)?.[1];
}

function parse(
  cli: Cli<CliContext>,
  argv: readonly string[],
  flags: readonly string[],
  commandClass: CommandClass<CliContext>,
  context: CliContext,
) {
  try {
    return cli.process([...argv], context);
  } catch (error) {
    const usage = cli.usage(commandClass, { colored: false }).trim();
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
    const reason = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
    throw new AppError('invalid_arguments', `${reason} Usage: ${usage}`, { command: argv[0] ?? '' }, { cause: error });
  }
}

function unknownCommand(name: string): AppError {
  const message = name.startsWith('-')
    ? `${BINARY} has no option ${name}. See ${BINARY} --help.`
    : `There is no command ${name}.${suggestion(name, Object.keys(commands))} See ${BINARY} --help.`;
  return new AppError(name.startsWith('-') ? 'unknown_option' : 'unknown_command', message, { name });
}
