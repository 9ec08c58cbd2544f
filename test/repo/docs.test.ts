import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...['docs', 'bench/log'].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
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

const entries: Readonly<Record<string, string>> = JSON.parse(read('package.json')).bin;
const binaries: readonly string[] = Object.keys(entries);

/** Helps that were asked for, by their command lines: documents name the same commands again and again. */
const helps = new Map<string, string>();

/** What a command line says about itself. */
function help(binary: string, ...words: string[]): string {
  const line = [binary, ...words].join(' ');
  const known = helps.get(line);
  if (known !== undefined) return known;
  const args = [entries[binary] ?? binary, ...words, '--help'];
  const text = execFileSync(process.execPath, args, { encoding: 'utf8' });
  helps.set(line, text);
  return text;
}

/** The commands of each command line, by their first word. */
const commands = new Map(
  binaries.map((binary) => [binary, [...help(binary).matchAll(/^ {2}([\w-]+)(?: |$)/gm)].map(([, name = '']) => name)]),
);

/** Whether a word begins commands of two words: `keys create`. */
function hasSecondWord(binary: string, name: string): boolean {
  return new RegExp(`^ {2}${name} [a-z]`, 'm').test(help(binary));
}

/** Options of a command as its help shows them. */
function optionsOf(binary: string, words: readonly string[]): Set<string> {
  const shown = [...help(binary, ...words).matchAll(/--?[a-z][a-z-]*/g)].map(([flag]) => flag);
  return new Set(shown.concat('--help', '--no-think'));
}

it('the help of a command line lists its commands', () => {
  expect(commands.get('native-engine')).toEqual(expect.arrayContaining(['run', 'convert', 'bench']));
  expect(commands.get('private-gateway')).toEqual(expect.arrayContaining(['init', 'discover', 'check']));
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
      const [, binary = '', name = '--', rest = ''] = /^(?:npx )?([\w-]+) (\S+)(.*)$/.exec(line) ?? [];
      const known = commands.get(binary);
      if (known === undefined || name.startsWith('--')) return false;
      // Some commands have a second word.
      const second = /^ ([a-z][a-z-]*)/.exec(rest)?.[1];
      const words = second !== undefined && hasSecondWord(binary, name) ? [name, second] : [name];
      const flags = [...rest.matchAll(/\s(--?[a-z][a-z-]*)/g)].map(([, flag = '']) => flag);
      return !known.includes(name) || flags.some((flag) => !optionsOf(binary, words).has(flag));
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
