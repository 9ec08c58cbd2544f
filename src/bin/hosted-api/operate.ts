// Commands that work on a service: they ask its node of this machine while it runs, and work on its database otherwise.
import { userInfo } from 'node:os';
import { AppError } from '../../base/index.js';
import { print, toPrintable, type Terminal } from '../../cli/index.js';
import {
  createHostedOperator,
  parseHostedConfig,
  readHostedText,
  type OperationName,
  type HostedOperator,
} from '../../hosted/index.js';
import { toServiceOptions } from './service-options.js';

/** The flags that every command takes. */
interface Flags {
  readonly config: string;
  readonly json: boolean;
  readonly csv?: boolean;
}

/** How the result of a command is written. */
interface Written<Result> {
  render(result: Result): string;
  /** Where the command may write CSV. */
  toCsv?(result: Result): string;
}

/** The operation of a command, with its parameters. */
interface Asked {
  readonly operation: OperationName;
  readonly params?: object;
}

/** Rows that are read at once. */
const PAGE = 1_000;

/** Asks for one operation and prints its result: as JSON, or as `render` writes it. */
export async function operate<Result>(
  flags: Flags,
  terminal: Terminal,
  { operation, params = {} }: Asked,
  written: Written<Result> | Written<Result>['render'],
): Promise<Result> {
  await using operator = await openOperator(flags.config, terminal);
  const result = (await operator.run(operation, params)) as Result;
  await show(flags, terminal, result, written);
  return result;
}

/** The same for a list: all its pages, which have their rows in the member `list`. */
export async function operateOnPages<Result extends object>(
  flags: Flags,
  terminal: Terminal,
  { operation, params = {}, list }: Asked & { readonly list: keyof Result & string },
  written: Written<Result> | Written<Result>['render'],
): Promise<void> {
  await using operator = await openOperator(flags.config, terminal);
  const rows: unknown[] = [];
  let first: object | undefined;
  let cursor: string | null = null;
  do {
    const asked = { ...params, limit: PAGE, ...(cursor !== null && { cursor }) };
    const page = (await operator.run(operation, asked)) as Readonly<Record<string, unknown>>;
    first ??= page;
    rows.push(...(page[list] as readonly unknown[]));
    cursor = page['next'] as string | null;
  } while (cursor !== null);
  // What the first page says beside its rows is of all of them.
  const { next: _, ...beside } = { next: null, ...first };
  const all: object = { ...beside, [list]: rows };
  await show(flags, terminal, all as Result, written);
}

/** Prints the parts of a file as `read` gives them by asking. */
export async function operateOnParts(
  { config }: Pick<Flags, 'config'>,
  { stdout, closed, ...terminal }: Terminal,
  read: (operator: HostedOperator) => AsyncIterable<string>,
): Promise<void> {
  await using operator = await openOperator(config, { stdout, closed, ...terminal });
  for await (const part of read(operator)) await print(stdout, part, closed);
}

async function openOperator(path: string, terminal: Terminal): Promise<HostedOperator> {
  const { text } = await readHostedText(path);
  const { config } = parseHostedConfig(text, path);
  return createHostedOperator(config, `cli:${userName()}`, toServiceOptions(terminal));
}

/** A user of a container may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'somebody');
  }
}

async function show<Result>(
  { json, csv = false }: Flags,
  { stdout, closed }: Terminal,
  result: Result,
  written: Written<Result> | Written<Result>['render'],
): Promise<void> {
  if (json && csv)
    throw new AppError('invalid_option', '--json and --csv are given both; give one.', { option: '--csv' });
  const { render, toCsv }: Written<Result> = typeof written === 'function' ? { render: written } : written;
  const text = json
    ? `${JSON.stringify(result)}\n`
    : csv && toCsv !== undefined
      ? toCsv(result)
      : toPrintable(stdout, render(result));
  await print(stdout, text, closed);
}
