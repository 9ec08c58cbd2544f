#!/usr/bin/env node
// The composition root of `native-engine`: streams, signals and the exit status of the process.
import { listenToInterrupts } from './interrupts.js';
import { main } from './main.js';
import { openTerminal } from './terminal.js';

/** Ends the process when what was written has left it. Workers that still run end with it. */
function exit(code: number): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}

const terminal = openTerminal();
const interrupts = listenToInterrupts((code) => process.exit(code));
exit(await main(process.argv.slice(2), terminal, interrupts));
