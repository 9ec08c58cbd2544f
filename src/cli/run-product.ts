import { Cli } from 'clipanion';
import { isError, toErrorData, toFileError } from '../base/index.js';
import { commandsOfGroup, findCommand, unknownCommand, withoutAlias, type NamedCommand } from './commands-by-words.js';
import { completionWords } from './completion/completion-words.js';
import type { CliContext } from './context.js';
import { exitCodeOf } from './exit-codes.js';
import { type CommandHelp, readCommandHelp } from './help/command-help.js';
import { helpWidth } from './help/layout.js';
import { renderCommand, renderOverview } from './help/render.js';
import { listenToInterrupts, type Interrupts } from './interrupts.js';
import { chooseFromMenu } from './menu.js';
import { parseCommand } from './parse-command.js';
import { printError } from './print-error.js';
import type { Product } from './product.js';
import { canAsk } from './questions.js';
import { openTerminal, type Terminal } from './terminal.js';

/** Runs the command line of this process, and ends the process with its exit status. */
export async function startProduct(product: Product): Promise<void> {
  const terminal = openTerminal();
  const interrupts = listenToInterrupts((code) => process.exit(code));
  const code = await runProduct(product, process.argv.slice(2), terminal, interrupts);
  // Pending output leaves the process first. Workers that still run end with it.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}

/** Runs one command line and returns its exit status. The only place where errors of a command are caught. */
export async function runProduct(
  product: Product,
  argv: readonly string[],
  terminal: Terminal,
  interrupts: Interrupts,
): Promise<number> {
  try {
    const status = await dispatch(product, argv, terminal, interrupts);
    // Lost output, as on a full disk, is no success.
    terminal.closed.throwIfAborted();
    return status;
  } catch (thrown) {
    if (terminal.closed.aborted && toErrorData(terminal.closed.reason).code === 'EPIPE') return 0;
    const error = describeFileError(thrown);
    const { code } = toErrorData(error);
    if (code !== 'interrupted') printError(terminal, error);
    if (argv.includes('--debug') && isError(error)) terminal.stderr.write(`${error.stack}\n`);
    return exitCodeOf(code, product);
  }
}

/** An error of the file system with a path, as one of ours: for files of ours that Node cannot read. */
function describeFileError(thrown: unknown): unknown {
  const hasPath = isError(thrown) && 'path' in thrown && typeof thrown.path === 'string';
  return hasPath ? toFileError(thrown, 'read', String(thrown.path)) : thrown;
}

async function dispatch(
  product: Product,
  argv: readonly string[],
  terminal: Terminal,
  interrupts: Interrupts,
): Promise<number> {
  const { binary, label, version } = product;
  const { env, stdin, stdout, stderr } = terminal;
  const names = { binaryName: binary, binaryLabel: label, binaryVersion: version };
  const separator = argv.indexOf('--');
  const flags = separator === -1 ? argv : argv.slice(0, separator);
  const [first] = argv;
  if (first === undefined && product.menu !== undefined && canAsk(terminal)) {
    const chosen = await chooseFromMenu(product, product.menu, terminal, interrupts);
    return chosen === undefined ? 0 : dispatch(product, chosen, terminal, interrupts);
  }
  if (first === '--version' || first === '-v') {
    stdout.write(`${version}\n`);
    return 0;
  }
  if (first === undefined || first === 'help' || flags.includes('--help') || flags.includes('-h')) {
    const words = first !== 'help' ? argv : argv[1] === 'help' ? [] : argv.slice(1);
    stdout.write(await helpText(product, names, words, helpWidth(stdout, env['COLUMNS'])));
    return 0;
  }
  const found = findCommand(product, argv);
  if (found === undefined) throw unknownCommand(product, argv);
  const commandClass = await found.load();
  const cli = Cli.from<CliContext>([commandClass], names);
  const context = {
    terminal,
    interrupts,
    binary,
    describeCommands: () => completionWords(product),
    stdin,
    stdout,
    stderr,
    env: { ...env },
    colorDepth: 1,
  };
  const help = readCommandHelp(cli, found.name, commandClass);
  const command = parseCommand(cli, withoutAlias(product.aliases, argv), flags, help, context);
  for (const hint of product.hints?.(found.name, argv, env) ?? []) stderr.write(`hint: ${hint}\n`);
  return (await command.validateAndExecute()) ?? 0;
}

/** Help of a command, of those that share its first word, or of all without a word. Throws `unknown_command`. */
async function helpText(
  product: Product,
  names: Parameters<typeof Cli.from>[1],
  words: readonly string[],
  width: number,
): Promise<string> {
  const read = async ({ name, load }: NamedCommand): Promise<CommandHelp> => {
    const commandClass = await load();
    return readCommandHelp(Cli.from<CliContext>([commandClass], names), name, commandClass);
  };
  const found = findCommand(product, words);
  if (found !== undefined) return renderCommand(product, await read(found), width);
  const [first = '-', second = '-'] = words;
  const all = Object.entries(product.commands).map(([name, load]) => ({ name, load }));
  const shown = first.startsWith('-') ? all : second.startsWith('-') ? commandsOfGroup(product, first) : [];
  if (shown.length === 0) throw unknownCommand(product, words);
  return renderOverview(product, await Promise.all(shown.map(read)), width);
}
