import { print, type Terminal } from '../../cli/index.js';

/** Prints a value as JSON: indented for a person, on one line for a program. */
export async function printJson({ stdout, closed }: Terminal, value: unknown): Promise<void> {
  await print(stdout, `${JSON.stringify(value, null, stdout.isTTY ? 2 : undefined)}\n`, closed);
}
