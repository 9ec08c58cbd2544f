import { createRequire } from 'node:module';
import type * as Clipanion from 'clipanion';
import { describe, expect, it } from 'vitest';
import { nativeEngine } from '../../src/bin/native-engine/product.js';
import { privateGateway } from '../../src/bin/private-gateway/product.js';
import type { CliContext } from '../../src/cli/context.js';
import type { Product } from '../../src/cli/index.js';
import { readCommandHelp } from '../../src/cli/help/command-help.js';
import { helpWidth, layOutRows, wrap, wrapShell } from '../../src/cli/help/layout.js';
import { renderCommand, renderOverview } from '../../src/cli/help/render.js';

// As Node loads it for the commands: vitest would look for its other form, which Node cannot load.
const { Cli, Command, Option } = createRequire(import.meta.url)('clipanion') as typeof Clipanion;
type CommandClass = Clipanion.CommandClass<CliContext>;

const products = [nativeEngine, privateGateway].map((product) => ({ ...product, version: '1.2.3' }));
const all = await Promise.all(
  products.flatMap((product) =>
    Object.entries(product.commands).map(async ([name, load]): Promise<[string, CommandClass, Product]> => [
      name,
      await load(),
      product,
    ]),
  ),
);
const widths = [40, 80, 100, 200];

function read(name: string, commandClass: CommandClass, { binary }: Product) {
  return readCommandHelp(Cli.from<CliContext>([commandClass], { binaryName: binary }), name, commandClass);
}

/** The words of a text, whatever lines they stand on. */
function flat(text: string): string {
  return text.replaceAll(/ \\\n/g, ' ').replaceAll(/\s+/g, ' ');
}

function longest(text: string): number {
  return Math.max(...text.split('\n').map((line) => line.length));
}

describe('help of a command', () => {
  it.each(all)(
    '%s says of each option what its value is called, what holds without it, and what it does',
    (name, cls, product) => {
      const { options } = read(name, cls, product);
      expect(options.length).toBeGreaterThan(0);
      for (const { flag, value, required, help } of options) {
        expect(flag).toMatch(/^--[a-z][a-z-]*$/);
        expect(help.description, flag).not.toBe('');
        if (value === undefined) continue;
        expect(value, flag).toMatch(/^[A-Z]+$|^[a-z0-9]+(\|[a-z0-9]+)+$/);
        expect(value, flag).not.toBe('VALUE');
        const saysWithout =
          required || help.repeated === true || `${help.default}${help.description}`.includes('default');
        expect(saysWithout || help.default !== undefined, `${flag} does not say its default`).toBe(true);
      }
    },
  );

  it.each(all)('%s says of each argument what it is', (name, cls, product) => {
    for (const { shown, help } of read(name, cls, product).arguments) expect(help.description, shown).not.toBe('');
  });

  it.each(all)('%s has everything in it at every width, and no line is wider', (name, cls, product) => {
    const help = read(name, cls, product);
    for (const width of widths) {
      const text = renderCommand(product, help, width);
      expect(longest(text), `at ${width}`).toBeLessThanOrEqual(width);
      expect(text).toMatch(/^[\n -~]*$/);
      const words = flat(text);
      for (const option of help.options) {
        expect(words).toContain(option.value === undefined ? option.flag : `${option.flag} ${option.value}`);
        expect(words).toContain(flat(option.help.description));
        if (option.help.default !== undefined) expect(words).toContain(`[default: ${option.help.default}]`);
      }
      expect(help.examples.length).toBeGreaterThan(0);
      for (const [what, line] of help.examples) expect(words).toContain(`${what}: ${line}`);
      // The first example comes before the options: it is what a newcomer looks for.
      const behindUsage = text.slice(text.indexOf('\n\n', text.indexOf('Usage')));
      const example = behindUsage.indexOf(`${product.binary} ${name}`);
      expect(example).toBeGreaterThan(0);
      expect(example).toBeLessThan(behindUsage.search(/^ {2}-/m));
      expect(words).toContain(help.details ?? '');
    }
  });

  it('shows an option that was declared without a group or a name for its value', () => {
    class Bare extends Command<CliContext> {
      static override paths = [['bare']];
      static override usage = Command.Usage({ description: 'Does it.' });
      modelsDir = Option.String('--models-dir', { description: 'where models are' });
      fast = Option.Boolean('--fast', false);
      place = Option.String({ name: 'a | b' });
      execute = () => Promise.resolve(0);
    }
    const text = renderCommand(nativeEngine, read('bare', Bare, nativeEngine), 80);
    expect(text).toContain('native-engine bare [options] <a | b>');
    expect(text).toContain('--models-dir DIR  where models are');
    expect(text).toContain('--fast');
  });
});

describe.each(products)('help of $binary alone', (product) => {
  const commands = all.filter(([, , of]) => of === product);
  it.each(widths)('names the first command to type and all commands within %d columns', (width) => {
    const text = renderOverview(
      product,
      commands.map(([name, cls]) => read(name, cls, product)),
      width,
    );
    expect(longest(text)).toBeLessThanOrEqual(width);
    expect(flat(text)).toContain(`${product.binary} ${product.firstCommand}`);
    expect(text).toContain('1.2.3');
    for (const [name, { usage }] of commands) {
      expect(text).toMatch(new RegExp(`^ {2}${name}(?: |$)`, 'm'));
      expect(flat(text)).toContain(usage?.description);
    }
  });
});

describe('the width of help', () => {
  it.each([
    [{}, undefined, 80],
    [{}, '', 80],
    [{}, '40', 40],
    [{ columns: 60 }, undefined, 60],
    [{ columns: 60 }, '90', 90],
    [{ columns: 60 }, '0', 60],
    [{ columns: 60 }, 'wide', 60],
    [{ columns: 0 }, undefined, 80],
    [{ columns: 300 }, undefined, 100],
    [{ columns: 5 }, undefined, 20],
  ])('of a terminal %j with COLUMNS=%s is %d', (stdout, columns, width) => {
    expect(helpWidth(stdout, columns)).toBe(width);
  });
});

describe('layout', () => {
  it('breaks lines at spaces, and a word only where it is longer than a line', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap('a abcdefghij b', 4)).toEqual(['a', 'abcd', 'efgh', 'ij b']);
    expect(wrap('  ', 4)).toEqual([]);
  });

  it('puts texts beside their terms, or below where the window is narrow', () => {
    const rows = [
      { term: '-a', text: 'first' },
      { term: '--long-one N', text: 'second' },
    ];
    expect(layOutRows(rows, 80)).toEqual(['  -a            first', '  --long-one N  second']);
    expect(layOutRows(rows, 30)).toEqual(['  -a', '      first', '  --long-one N', '      second']);
  });

  it('breaks a command line so that a shell still takes it', () => {
    expect(wrapShell('run demo "a b c" --last', 16, 2)).toEqual(['  run demo \\', '    "a b c" \\', '    --last']);
  });
});
