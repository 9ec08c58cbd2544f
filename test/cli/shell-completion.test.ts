// Completion in the shells themselves, where they are installed.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../src/bin/native-engine/commands/index.js';
import { runInProcess } from './run-in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'shell-completion-'));
const env = { PATH: `${folder}${delimiter}${process.env['PATH']}`, HOME: folder, TERM: 'dumb' };
const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;
const scripts: Record<string, string> = {};

beforeAll(async () => {
  // What the scripts ask for names of models.
  writeFileSync(
    join(folder, 'native-engine'),
    '#!/bin/sh\n[ "$1 $2" = "list --quiet" ] && printf "demo\\norg_name@Q8_0\\n"\n',
  );
  chmodSync(join(folder, 'native-engine'), 0o755);
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { status, stdout } = await runInProcess(['completion', shell]);
    expect(status).toBe(0);
    scripts[shell] = join(folder, `completion.${shell}`);
    writeFileSync(scripts[shell], stdout);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!has('bash'))('bash (skipped where it is not installed)', () => {
  const complete = (...words: string[]): string[] => {
    const list = ['native-engine', ...words].map((word) => `'${word}'`).join(' ');
    const script = `source ${scripts['bash']}; COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _native_engine; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { env, encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.trim().split('\n');
  };

  it('completes commands, options, their values, and names of models', () => {
    expect(complete('')).toEqual([...Object.keys(commands), '--help', '--version']);
    expect(complete('lo')).toEqual(['load']);
    expect(complete('list', '--')).toEqual(expect.arrayContaining(['--json', '--quiet', '--models-dir', '--help']));
    expect(complete('run', '--kernel', '')).toEqual(['auto', 'portable']);
    expect(complete('run', '--no-t')).toEqual(['--no-think']);
    expect(complete('show', '')).toEqual(['demo', 'org_name@Q8_0']);
    expect(complete('rm', 'demo', 'org')).toEqual(['org_name@Q8_0']);
    expect(complete('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(complete('run', '--system', 'x')).toEqual(['']);
  });
});

describe.skipIf(!has('zsh'))('zsh (skipped where it is not installed)', () => {
  it('takes the script', () => {
    const script = `autoload -U compinit && compinit -u && source ${scripts['zsh']} && print $_comps[native-engine]`;
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', script], { env, encoding: 'utf8' });
    expect([stdout.trim(), stderr]).toEqual(['_native_engine', '']);
  });
});

describe.skipIf(!has('fish'))('fish (skipped where it is not installed)', () => {
  const complete = (line: string): string[] => {
    const script = `source ${scripts['fish']}; complete -C ${JSON.stringify(line)}`;
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script], { env, encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout
      .trim()
      .split('\n')
      .map((row) => row.split('\t', 1)[0] ?? '');
  };

  it('completes commands, options and names of models', () => {
    expect(complete('native-engine lo')).toEqual(['load']);
    expect(complete('native-engine list --j')).toEqual(['--json']);
    expect(complete('native-engine run --kernel ')).toEqual(['auto', 'portable']);
    expect(complete('native-engine show org')).toEqual(['org_name@Q8_0']);
    expect(complete('native-engine completion ').toSorted()).toEqual(['bash', 'fish', 'zsh']);
  });
});

it('has no word in a script that would end its quotes', () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const checked = has(shell) ? spawnSync(shell, ['-n', scripts[shell] ?? ''], { encoding: 'utf8' }) : undefined;
    expect(checked?.stderr ?? '').toBe('');
  }
});
