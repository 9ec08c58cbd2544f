import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { recordCommand } from './record-command.js';
import { toScreen } from './screen.js';
import { drawScreen } from './terminal-svg.js';

const PICTURE = 'assets/terminal.svg';
const cli = fileURLToPath(new URL('../../src/bin/native-engine.js', import.meta.url));

/** What is typed: the demo model at what it can do. The story is greedy, so that a second recording tells the same. */
const COMMANDS = [
  'native-engine run demo "What is 12 + 30?"',
  'native-engine run demo --think "What is 123 + 456?" --verbose',
  'native-engine run demo --temperature 0 --verbose "Tell me a story."',
  'echo "What is the capital of Norway?" | native-engine run demo',
];

/** Runs the commands, one after the other, and writes assets/terminal.svg below the current directory. */
export async function drawTerminal(note: (text: string) => void): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'troupe-terminal-'));
  try {
    const program = join(home, 'native-engine');
    await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`);
    await chmod(program, 0o755);
    const recorded = [];
    for (const command of COMMANDS) {
      note(`$ ${command}`);
      recorded.push({ command, recorded: await recordCommand(command, home, home) });
    }
    await writeFile(PICTURE, drawScreen(toScreen(recorded), 'Troupe'));
    note(`wrote ${PICTURE}`);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
