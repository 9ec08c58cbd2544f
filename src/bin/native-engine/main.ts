import { Cli, type CommandClass } from 'clipanion';
import { isError, toErrorData, toFileError, VERSION } from '../../base/index.js';
import { commands } from './commands/index.js';
import {
  type CliContext,
  readCommandHelp,
  helpWidth,
  renderCommand,
  renderOverview,
  type Interrupts,
  printError,
  BINARY,
  exitCodeOf,
  parseCommand,
  unknownCommand,
  type Terminal,
} from '../../cli/index.js';

/** Runs one command line and returns its exit status. The only place where errors of a command are caught. */
export async function main(argv: readonly string[], terminal: Terminal, interrupts: Interrupts): Promise<number> {
  try {
    const status = await dispatch(argv, terminal, interrupts);
    // Output that was lost, to a full disk for one, is no success.
    terminal.closed.throwIfAborted();
    return status;
  } catch (thrown) {
    if (terminal.closed.aborted && toErrorData(terminal.closed.reason).code === 'EPIPE') return 0;
    const error = describeFileError(thrown);
    const { code } = toErrorData(error);
    if (code !== 'interrupted') printError(terminal, error);
    if (argv.includes('--debug') && isError(error)) terminal.stderr.write(`${error.stack}\n`);
    return exitCodeOf(code);
  }
}

/** An error of the file system that names its path, as one of ours: what Node cannot read of our own files, for one. */
function describeFileError(thrown: unknown): unknown {
  const hasPath = isError(thrown) && 'path' in thrown && typeof thrown.path === 'string';
  return hasPath ? toFileError(thrown, 'read', String(thrown.path)) : thrown;
}

async function dispatch(argv: readonly string[], terminal: Terminal, interrupts: Interrupts): Promise<number> {
  const { env, stdin, stdout, stderr } = terminal;
  const classes: CommandClass<CliContext>[] = Object.values(commands);
  const cli = Cli.from<CliContext>(classes, { binaryName: BINARY, binaryLabel: 'Troupe', binaryVersion: VERSION });
  const separator = argv.indexOf('--');
  const flags = separator === -1 ? argv : argv.slice(0, separator);
  const [name] = argv;
  if (name === '--version' || name === '-v') {
    stdout.write(`${VERSION}\n`);
    return 0;
  }
  const isHelp = name === 'help' || flags.includes('--help') || flags.includes('-h');
  const about = name !== 'help' ? name : argv[1] === 'help' ? undefined : argv[1];
  const commandClass = about === undefined ? undefined : findCommand(about);
  if (name === undefined || isHelp) {
    stdout.write(helpText(cli, about, commandClass, helpWidth(stdout, env['COLUMNS'])));
    return 0;
  }
  if (commandClass === undefined) throw unknownCommand(name, Object.keys(commands));
  const context = { terminal, interrupts, stdin, stdout, stderr, env: { ...env }, colorDepth: 1 };
  const command = parseCommand(cli, argv, flags, readCommandHelp(cli, name, commandClass), context);
  return (await command.validateAndExecute()) ?? 0;
}

/** Help of a command, or of all when there is none. Throws `unknown_command`. */
function helpText(
  cli: Cli<CliContext>,
  name: string | undefined,
  commandClass: CommandClass<CliContext> | undefined,
  width: number,
): string {
  const product = { binary: BINARY, version: VERSION };
  if (name !== undefined && commandClass !== undefined) {
    return renderCommand(product, readCommandHelp(cli, name, commandClass), width);
  }
  if (name !== undefined && !name.startsWith('-')) throw unknownCommand(name, Object.keys(commands));
  const all = Object.entries<CommandClass<CliContext>>(commands);
  return renderOverview(
    product,
    all.map(([key, each]) => readCommandHelp(cli, key, each)),
    width,
  );
}

function findCommand(name: string): CommandClass<CliContext> | undefined {
  return Object.entries(commands).find(([key]) => key === name)?.[1];
}
