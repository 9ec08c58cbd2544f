import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isProgram, runHere } from '../e2e/run-here.js';

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

const binaries: readonly string[] = Object.keys(JSON.parse(read('package.json')).bin);

/** Helps that were asked for, by their command lines: documents name the same commands again and again. */
const helps = new Map<string, string>();

/** What a command line says about itself. */
async function help(binary: string, ...words: string[]): Promise<string> {
  const line = [binary, ...words].join(' ');
  const known = helps.get(line);
  if (known !== undefined) return known;
  const program = binary.replace('_', '-');
  if (!isProgram(program)) throw new Error(`${binary} is no program of the package`);
  const { code, stdout, stderr } = await runHere([...words, '--help'], homedir(), '', { program });
  if (code !== 0) throw new Error(`${line} --help ended with ${code}: ${stderr}`);
  helps.set(line, stdout);
  return stdout;
}

/** The commands of each command line, by their first word. */
const commands = new Map<string, readonly string[]>();
for (const binary of binaries) {
  commands.set(
    binary,
    [...(await help(binary)).matchAll(/^ {2}([\w-]+)(?: |$)/gm)].map(([, name = '']) => name),
  );
}

/** Whether a word begins commands of two words: `keys create`. */
async function hasSecondWord(binary: string, name: string): Promise<boolean> {
  return new RegExp(`^ {2}${name} [a-z]`, 'm').test(await help(binary));
}

/** Options of a command as its help shows them. */
async function optionsOf(binary: string, words: readonly string[]): Promise<Set<string>> {
  const shown = [...(await help(binary, ...words)).matchAll(/--?[a-z][a-z-]*/g)].map(([flag]) => flag);
  return new Set(shown.concat('--help', '--no-think'));
}

/** Whether a line of a shell names a command or an option of ours that is not there. */
async function isWrong(line: string): Promise<boolean> {
  const [, binary = '', name = '--', rest = ''] = /^(?:npx )?([\w-]+) (\S+)(.*)$/.exec(line) ?? [];
  const known = commands.get(binary);
  if (known === undefined || name.startsWith('--')) return false;
  if (!known.includes(name)) return true;
  // Some commands have a second word.
  const second = /^ ([a-z][a-z-]*)/.exec(rest)?.[1];
  const words = second !== undefined && (await hasSecondWord(binary, name)) ? [name, second] : [name];
  const flags = [...rest.matchAll(/\s(--?[a-z][a-z-]*)/g)].map(([, flag = '']) => flag);
  if (flags.length === 0) return false;
  const options = await optionsOf(binary, words);
  return flags.some((flag) => !options.has(flag));
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

  it('names only commands and options that exist', async () => {
    const wrong: string[] = [];
    for (const line of shellLines(text)) if (await isWrong(line)) wrong.push(line);
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
