import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { processArguments, threadArguments } from '../../src/base/node-arguments.js';

it.each([
  [[], undefined],
  [['--max-old-space-size=500', '--import', 'a.mjs'], undefined],
  [['-e', 'x'], undefined],
  [['--input-type=module', '-e', 'x'], []],
  [
    ['--max-old-space-size=500', '--import', 'a.mjs', '--require=b.cjs', '--input-type', 'module', '-e', 'x'],
    ['--import', 'a.mjs', '--require=b.cjs'],
  ],
])('threads of node %j inherit, or get what is loaded first', (given, kept) => {
  expect(threadArguments(given).execArgv).toEqual(kept);
});

it('processes get all but the script', () => {
  const given = [
    '--max-old-space-size=500',
    '--input-type=module',
    '--import',
    'a.mjs',
    '-e',
    'x',
    '-p',
    'y',
    '--eval=z',
  ];
  expect(processArguments(given)).toEqual(['--max-old-space-size=500', '--import', 'a.mjs']);
  expect(processArguments(['--input-type', 'module', '-pe', 'x'])).toEqual([]);
});

it('an engine runs in a script on the command line of node', () => {
  const library = pathToFileURL(join(process.cwd(), 'dist/src/index.js')).href;
  const script = `const { createEngine } = await import(${JSON.stringify(library)});
    const engine = await createEngine({ threads: 1 });
    console.log((await engine.load('demo')).id);
    await engine[Symbol.asyncDispose]();`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
  expect({ stdout: stdout.toString(), stderr: stderr.toString() }).toEqual({ stdout: 'demo\n', stderr: '' });
});
