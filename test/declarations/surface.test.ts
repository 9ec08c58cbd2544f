import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { describe, expect, it } from 'vitest';
import { listFiles } from '../repo/source-tree.js';

const files = listFiles('dist/types', '.d.ts');
const read = (path: string): string => readFileSync(join(process.cwd(), path), 'utf8');

/** A part of a syntax tree. */
type Node = Readonly<Record<string, unknown>> & { readonly type: string; readonly start: number; readonly end: number };

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function* nodesIn(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const one of value) yield* nodesIn(one);
  else if (isNode(value)) {
    yield value;
    // Tables of values, such as error codes, are documented as a whole.
    if (value.type !== 'VariableDeclaration') for (const field of Object.values(value)) yield* nodesIn(field);
  }
}

/** What is to have a docstring: declarations, and the fields and methods of types. */
const DOCUMENTED = new Set([
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSPropertySignature',
  'TSMethodSignature',
  'PropertyDefinition',
  'MethodDefinition',
  'ClassDeclaration',
  'TSDeclareFunction',
  'VariableDeclaration',
]);

/** `line: text` of what has none. */
function undocumented(text: string): string[] {
  const { program, errors } = parseSync('a.d.ts', text, { lang: 'dts' });
  expect(errors).toEqual([]);
  return [...nodesIn(program.body)]
    .filter(({ type }) => DOCUMENTED.has(type))
    .filter(({ start }) => !/\*\/\s*$/.test(text.slice(0, start)))
    .map(({ start }) => `${text.slice(0, start).split('\n').length}: ${text.slice(start).split('\n', 1)[0]}`);
}

/** Declarations without comments: what a program can depend on. */
function withoutComments(text: string): string {
  const { comments } = parseSync('a.d.ts', text, { lang: 'dts' });
  const bare = comments.reduceRight(
    (rest, { start, end }) => (rest.startsWith('///', start) ? rest : rest.slice(0, start) + rest.slice(end)),
    text,
  );
  return bare.replace(/^\s*\n/gm, '');
}

describe('the declarations', () => {
  it('are one file for each entry of the package', () => {
    const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, { types?: string }> };
    const entries = Object.values(exports).flatMap(({ types }) => types?.replace('./', '') ?? []);
    expect(files).toEqual(entries.toSorted());
  });

  it.each(files)('%s says of everything in it what it is', (path) => {
    expect(undocumented(read(path))).toEqual([]);
  });

  it('would be found out without a docstring', () => {
    const text = '/** A. */\ninterface A {\n  b: number;\n  /** C. */\n  c: { d(): void };\n}\n';
    expect(undocumented(text)).toEqual(['3: b: number;', '5: d(): void };']);
  });

  it.each(files)('%s imports nothing and names nothing of a browser or of WebAssembly', (path) => {
    const bare = withoutComments(read(path));
    expect(bare).not.toMatch(/\bimport\b|from '|\bWebAssembly\b|\bTransferable\b|\bMessageEvent\b/);
  });

  // To accept a change of what is public: npx vitest run dist/test/declarations/surface.test.js -u
  it.each(files)('%s is what was last agreed upon', async (path) => {
    const agreed = join(
      process.cwd(),
      path.replace('dist/types', 'test/declarations/surface').replace(/\.d\.ts$/, '.txt'),
    );
    await expect(withoutComments(read(path))).toMatchFileSnapshot(agreed);
  });
});
