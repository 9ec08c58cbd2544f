// Runs several command lines of native-engine, one after the other, as one process: on its terminal, with its signals. Starting
// Node and loading the product, which takes longer than most commands, is done once for all of them (command-session.ts).
import { nativeEngine } from '../../src/bin/native-engine/product.js';
import { listenToInterrupts } from '../../src/cli/interrupts.js';
import { runProduct } from '../../src/cli/run-product.js';
import { openTerminal } from '../../src/cli/terminal.js';

/** One command line, and the home that it is run in. */
export interface HostedLine {
  readonly args: readonly string[];
  readonly home: string;
}

/** What is written after a command, with its exit status between; no command writes these letters. */
export const [ENDED, STATUS_ENDED] = ['\uE000', '\uE001'];

/** Runs the lines that the argument has as JSON. */
async function runLines(text: string): Promise<void> {
  const lines = JSON.parse(text) as HostedLine[];
  const terminal = openTerminal();
  const interrupts = listenToInterrupts((code) => process.exit(code));
  for (const { args, home } of lines) {
    process.env['HOME'] = home;
    const status = await runProduct(nativeEngine, args, terminal, interrupts);
    process.stdout.write(`${ENDED}${status}${STATUS_ENDED}`);
  }
  process.stdout.write('', () => process.exit(0));
}

const [, script, text] = process.argv;
// Who imports the letters starts nothing.
if (script?.endsWith('command-host.js') === true && text !== undefined) await runLines(text);
