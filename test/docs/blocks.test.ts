import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBlocks, readCommands, type Block } from './blocks.js';
import { createInstalledApp, freePort, type InstalledApp } from './installed-app.js';

const root = process.cwd();
const DEFAULT_PORT = 11434;
const pages = existsSync(join(root, 'docs'))
  ? readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))
  : [];
const documents = ['README.md', ...pages.map((name) => `docs/${name}`)].map((path) => {
  const blocks = readBlocks(readFileSync(join(root, path), 'utf8'));
  return { path, blocks: blocks.filter(({ notRun }) => notRun === undefined) };
});
/** A page of tables has none. */
const withBlocks = documents.filter(({ blocks }) => blocks.length > 0);
/** The commands of the package. */
const commands = Object.keys((JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { bin: object }).bin);
/** What commands that read a prompt from standard input get. */
const QUESTION = 'What is the capital of Norway?';

/** The program of a block, without the ending of its file. */
const nameOf = (path: string, { line }: Block): string => `${path.replaceAll(/\W/g, '-')}-${line}`;

describe('blocks of a document', () => {
  it('are told apart, with the reason not to run one', () => {
    const text = 'A\n```ts\na;\n```\n<!-- not run: it downloads -->\n```sh\nb \\\n  c # d\n# e\n```\n```\nf\n```\n';
    expect(readBlocks(text)).toEqual([
      { language: 'ts', line: 2, text: 'a;\n' },
      { language: 'sh', line: 6, text: 'b \\\n  c # d\n# e\n', notRun: 'it downloads' },
    ]);
    expect(readCommands('b \\\n  c # d\n# e\n')).toEqual(['b   c']);
    expect(() => readBlocks('<!-- not run: nothing -->\n\n```sh\na\n```\n')).toThrow('1 reasons');
  });

  it('are there in the README, most of them to be run', () => {
    expect(documents[0]?.blocks.length).toBeGreaterThanOrEqual(5);
  });
});

describe('a program that installed the packed package', () => {
  let app: InstalledApp;
  let port: number;

  beforeAll(async () => {
    app = createInstalledApp();
    port = await freePort(0);
    compilePrograms();
  });
  afterAll(async () => app[Symbol.asyncDispose](), 60_000);

  /** Where the default port is taken, the block is run with another. */
  const onPort = (text: string): string => {
    if (port === DEFAULT_PORT) return text;
    const moved = text.replaceAll(`:${DEFAULT_PORT}`, `:${port}`);
    return /native-engine serve --http(?!.*--port)/.test(moved) ? `${moved} --port ${port}` : moved;
  };

  /** Commands that ended well. Pages repeat some: what needs no server, in the same words, is not run again. */
  const ended = new Set<string>();
  const runShell = async ({ text }: Block): Promise<void> => {
    for (const command of readCommands(text).map(onPort)) {
      if (command.startsWith('npx native-engine serve ')) {
        await app.serve(command);
        continue;
      }
      if (ended.has(command)) continue;
      expect({ command, ...(await app.run(command, QUESTION)) }).toMatchObject({ code: 0 });
      if (!command.startsWith('curl ')) ended.add(command);
    }
  };

  /** Of the compiler over all programs at once: lines of `NAME.ts(LINE,COLUMN): error ...`. */
  let errors: readonly string[] = [];
  const compilePrograms = (): void => {
    const settings = ['--strict', '--target', 'es2022', '--lib', 'es2023', '--module', 'nodenext', '--types', 'node'];
    const files = withBlocks.flatMap(({ path, blocks }) =>
      blocks
        .filter(({ language }) => language !== 'sh')
        .map((block) => {
          const file = `${nameOf(path, block)}.ts`;
          writeFileSync(join(app.directory, file), onPort(block.text));
          return file;
        }),
    );
    const compiler = [join(root, 'node_modules/typescript/bin/tsc'), ...settings, '--skipLibCheck', ...files];
    const { status, stdout, stderr } = spawnSync(process.execPath, compiler, { cwd: app.directory, encoding: 'utf8' });
    errors = stdout.split('\n').filter((line) => line !== '');
    if (status !== 0 && errors.length === 0) throw new Error(`the compiler failed: ${stderr}`);
  };

  const runProgram = async (block: Block, name: string): Promise<void> => {
    expect(errors.filter((line) => line.startsWith(`${name}.ts(`))).toEqual([]);
    expect({ line: block.line, ...(await app.run(`node ${name}.js`)) }).toMatchObject({ code: 0 });
  };

  describe.each(withBlocks)('with $path', ({ path, blocks }) => {
    // One after the other, as a reader does: a later block asks the server of an earlier one.
    it.each(blocks)(
      'runs the $language block of line $line as it is written',
      async (block) => {
        if (block.language === 'sh') await runShell(block);
        else await runProgram(block, nameOf(path, block));
      },
      300_000,
    );
  });

  it.each(commands)('finds %s by the npx of npm', async (name) => {
    const { code, output } = await app.run(`PATH=\${PATH#*:} npx ${name} --help`);
    expect(output).toContain(name);
    expect(code).toBe(0);
  });

  it('can take it by require, where Node can', async () => {
    writeFileSync(join(app.directory, 'required.cjs'), "console.log(typeof require('troupe').createEngine);");
    expect(await app.run('node required.cjs')).toEqual({ code: 0, output: 'function\n' });
  });

  it('has no source map that leads nowhere', async () => {
    const { output } = await app.run(
      'find node_modules/troupe -name "*.map" -o -name "*.d.ts" | sort; grep -rl "sourceMappingURL" node_modules/troupe | head',
    );
    expect(output.split('\n').filter((line) => line !== '')).toEqual(
      ['actor-faults', 'actor', 'chat', 'client', 'grammar', 'index', 'tokenizer'].map(
        (name) => `node_modules/troupe/dist/types/${name}.d.ts`,
      ),
    );
  });
});
