import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'bench/LOG.md',
  ...readdirSync('docs').map((name) => `docs/${name}`),
];
const read = (path: string): string => readFileSync(join(process.cwd(), path), 'utf8');
const scripts: unknown = JSON.parse(read('package.json')).scripts;

/** Lines of fenced shell blocks, comments and prompts taken off. */
function shellLines(document: string): string[] {
  return [...document.matchAll(/^```(?:sh|bash|console)\n([\s\S]*?)^```/gm)]
    .flatMap(([, block = '']) => block.split('\n'))
    .map((line) =>
      line
        .replace(/^\$ /, '')
        .replace(/\s+#.*$/, '')
        .trim(),
    )
    .filter((line) => line !== '');
}

/** What the command line says about itself. */
function help(...words: string[]): string {
  return execFileSync(process.execPath, ['dist/src/bin/native-engine.js', ...words, '--help'], { encoding: 'utf8' });
}

const commands = [...help().matchAll(/native-engine (\w+) /g)].map(([, name = '']) => name);

/** Options of a command as its help shows them. */
function optionsOf(name: string): Set<string> {
  return new Set([...help(name).matchAll(/--[a-z][a-z-]*/g)].map(([flag]) => flag).concat('--help', '--no-think'));
}

it('the help of the command line lists its commands', () => {
  expect(commands).toEqual(expect.arrayContaining(['run', 'convert', 'bench']));
});

describe.each(documents)('%s', (path) => {
  const text = read(path);

  it('links only to files that are there', () => {
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target.replace(/#.*$/, ''));
    const local = targets.filter((target) => target !== '' && !/^[a-z]+:/.test(target));
    expect(local.filter((target) => !existsSync(join(process.cwd(), dirname(path), target)))).toEqual([]);
  });

  it('names only commands and options that exist', () => {
    const wrong = shellLines(text).filter((line) => {
      const ours = /^(?:npx )?native-engine (\S+)(.*)$/.exec(line);
      const name = ours?.[1];
      if (name === undefined || name.startsWith('--')) return false;
      const flags = [...(ours?.[2] ?? '').matchAll(/\s(--[a-z][a-z-]*)/g)].map(([, flag = '']) => flag);
      return !commands.includes(name) || flags.some((flag) => !optionsOf(name).has(flag));
    });
    expect(wrong).toEqual([]);
  });

  it('names only npm scripts that exist', () => {
    const builtIn = ['ci', 'i', 'install', 'start', 'test', 'pack'];
    const names = [...text.matchAll(/(?:^|`|&& )npm (?:run (?:--silent )?)?([a-z][a-z:-]*)/gm)].map(
      ([, name = '']) => name,
    );
    const known = Object.keys(Object(scripts));
    expect(names.filter((name) => !known.includes(name) && !builtIn.includes(name))).toEqual([]);
  });
});
