// Commands that work on a gateway: they ask it while it runs, and work on its databases otherwise.
import { userInfo } from 'node:os';
import { print, toPrintable, type Terminal } from '../../cli/index.js';
import {
  createGatewayOperator,
  parseGatewayConfig,
  readGatewayText,
  type OperationName,
  type GatewayOperator,
} from '../../gateway/index.js';

/** Asks for one operation and prints its result: as JSON, by `raw` as it is, or as `render` writes it for people. */
export async function operate<Result>(
  options: { readonly config: string; readonly json: boolean; readonly raw?: (result: Result) => string },
  terminal: Terminal,
  asked: { readonly operation: OperationName; readonly params?: unknown },
  render: (result: Result) => string,
): Promise<Result> {
  return withOperator(options.config, terminal, async (operator) => {
    const result = (await operator.run(asked.operation, asked.params)) as Result;
    const { json, raw } = options;
    const forProgram = json ? `${JSON.stringify(result)}\n` : raw?.(result);
    const text = forProgram ?? toPrintable(terminal.stdout, render(result));
    await print(terminal.stdout, text, terminal.closed);
    return result;
  });
}

/** Does `work` with the gateway of the file at `path`. Errors: those of the file and of `createGatewayOperator`. */
export async function withOperator<T>(
  path: string,
  terminal: Terminal,
  work: (operator: GatewayOperator) => Promise<T>,
): Promise<T> {
  const { text } = await readGatewayText(path);
  const { config } = parseGatewayConfig(text, path);
  const log = (entry: { readonly event: string }): void => void terminal.stderr.write(`${JSON.stringify(entry)}\n`);
  await using operator = await createGatewayOperator(path, config, { kind: 'cli', ...userName() }, log);
  return await work(operator);
}

/** The user of the command; a container may have no name for its user. */
function userName(): { readonly id?: string } {
  try {
    return { id: userInfo().username };
  } catch {
    return {};
  }
}
