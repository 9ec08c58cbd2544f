#!/usr/bin/env node
// The composition root of `native-engine`: streams, signals and the exit status of the process.
import { listenToInterrupts, openTerminal } from '../cli/index.js';
import { main } from './native-engine/main.js';

/** Ends the process when what was written has left it. Workers that still run end with it. */
function exit(code: number): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}

const terminal = openTerminal();
const interrupts = listenToInterrupts((code) => process.exit(code));
exit(await main(process.argv.slice(2), terminal, interrupts));
