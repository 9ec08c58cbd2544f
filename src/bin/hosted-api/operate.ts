// Commands that work on a service: they ask its node of this machine while it runs, and work on its database otherwise.
import { userInfo } from 'node:os';
import { print, toPrintable, type Terminal } from '../../cli/index.js';
import {
  createOperator,
  parseHostedConfig,
  readHostedText,
  type OperationName,
  type Operator,
} from '../../hosted/index.js';
import { toServiceOptions } from './service-options.js';

/** What every command was told. */
interface Flags {
  readonly config: string;
  readonly json: boolean;
}

/** What a command asks for. */
interface Asked {
  readonly operation: OperationName;
  readonly params?: object;
}

/** Rows that are read at once. */
const PAGE = 1_000;

/** Asks for one operation and prints what it gives: as JSON, or as `render` writes it. */
export async function operate<Result>(
  flags: Flags,
  terminal: Terminal,
  { operation, params = {} }: Asked,
  render: (result: Result) => string,
): Promise<Result> {
  await using operator = await openOperator(flags.config, terminal);
  const result = (await operator.run(operation, params)) as Result;
  await show(flags, terminal, result, render);
  return result;
}

/** The same for a list: all its pages, which have their rows in the member `list`. */
export async function operateOnPages<Result extends object>(
  flags: Flags,
  terminal: Terminal,
  { operation, params = {}, list }: Asked & { readonly list: keyof Result & string },
  render: (result: Result) => string,
): Promise<void> {
  await using operator = await openOperator(flags.config, terminal);
  const rows: unknown[] = [];
  let cursor: string | null = null;
  do {
    const asked = { ...params, limit: PAGE, ...(cursor !== null && { cursor }) };
    const page = (await operator.run(operation, asked)) as Readonly<Record<string, unknown>>;
    rows.push(...(page[list] as readonly unknown[]));
    cursor = page['next'] as string | null;
  } while (cursor !== null);
  const all: object = { [list]: rows };
  await show(flags, terminal, all as Result, render);
}

async function openOperator(path: string, terminal: Terminal): Promise<Operator> {
  const { text } = await readHostedText(path);
  const { config } = parseHostedConfig(text, path);
  return createOperator(config, `cli:${userName()}`, toServiceOptions(terminal));
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
  { json }: Flags,
  { stdout, closed }: Terminal,
  result: Result,
  render: (result: Result) => string,
): Promise<void> {
  const text = json ? `${JSON.stringify(result)}\n` : toPrintable(stdout, render(result));
  await print(stdout, text, closed);
}
