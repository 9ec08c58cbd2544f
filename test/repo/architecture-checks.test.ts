import { describe, expect, it } from 'vitest';
import * as checks from './architecture-checks.js';

/** A file with imports, one a line. */
function file(path: string, ...targets: string[]): checks.Importer {
  const imports = targets.map((target, i) => ({ line: i + 1, specifier: target, target }));
  return { path, imports };
}

describe('the checks of the source tree', () => {
  it('find an import that points up', () => {
    const files = [file('src/weights/row.ts', 'src/base/index.ts', 'src/engine/index.ts')];
    expect(checks.findWrongImports(files)).toEqual(['src/weights/row.ts:2 weights may not import engine']);
  });

  it('find a module that the table does not know', () => {
    expect(checks.findWrongImports([file('src/stuff/x.ts')])).toEqual([
      'src/stuff/x.ts:1 module stuff is not in the table of allowed imports',
    ]);
  });

  it('find an import that is allowed and that no file of the module has', () => {
    expect(checks.findUnusedAllowances([file('src/chat/x.ts', 'src/jinja/index.ts')])).toEqual([]);
    expect(checks.findUnusedAllowances([file('src/chat/x.ts', 'src/base/index.ts')])).toEqual([
      'test/repo/architecture-rules.ts:1 chat may import jinja and does not',
    ]);
  });

  it('find an import of src/index.ts from a module', () => {
    expect(checks.findWrongImports([file('src/chat/x.ts', 'src/index.ts')])).toHaveLength(1);
  });

  it('find an import past a entry, in composition roots too', () => {
    const files = [file('src/cli/x.ts', 'src/model/index.ts', 'src/model/rope.ts')];
    expect(checks.findImportsPastEntries(files)).toEqual([
      'src/cli/x.ts:2 imports src/model/rope.ts past the entry src/model/index.ts',
    ]);
  });

  it('let a table of error codes past entries, to the files that declare codes, and nothing else there', () => {
    const files = [
      file('src/bin/x/codes.ts', 'src/model/errors.ts', 'src/model/rope.ts'),
      file('src/bin/x/main.ts', 'src/model/errors.ts'),
    ];
    expect(checks.findImportsPastEntries(files)).toEqual([
      'src/bin/x/codes.ts:2 imports src/model/rope.ts past the entry src/model/index.ts',
      'src/bin/x/main.ts:1 imports src/model/errors.ts past the entry src/model/index.ts',
    ]);
  });

  it('find a cycle of three files, once', () => {
    const files = [
      file('src/a/x.ts', 'src/a/y.ts'),
      file('src/a/y.ts', 'src/a/z.ts'),
      file('src/a/z.ts', 'src/a/x.ts'),
    ];
    expect(checks.findCycles(files, (path) => path)).toEqual(['src/a/x.ts → src/a/y.ts → src/a/z.ts → src/a/x.ts']);
  });

  it('find a cycle of modules whose files have none', () => {
    const files = [file('src/a/x.ts', 'src/b/x.ts'), file('src/b/y.ts', 'src/a/y.ts')];
    expect(checks.findCycles(files, (path) => path)).toEqual([]);
    expect(checks.findCycles(files, checks.moduleOf)).toEqual(['a → b → a']);
  });

  it('find a short file that only one file of its folder uses, unless it is loaded late', () => {
    const sized = (importer: checks.Importer, numLines: number, text = '') => ({ ...importer, numLines, text });
    const user = file('src/a/user.ts', 'src/a/part.ts');
    const part = sized(file('src/a/part.ts'), 44);
    expect(checks.findSmallParts([sized(user, 90), part], {})).toEqual([
      'src/a/part.ts:1 is short, and only user.ts uses it; merge it, or give the reason',
    ]);
    expect(checks.findSmallParts([sized(user, 90), part], { 'src/a/part.ts': 'a table' })).toEqual([]);
    for (const separate of [
      [sized(user, 90), sized(file('src/a/part.ts'), 45)],
      [sized(user, 90, "import('src/a/part.ts')"), part],
      [sized(user, 90), sized(file('src/a/other.ts', 'src/a/part.ts'), 90), part],
      [sized(file('src/b/user.ts', 'src/a/part.ts'), 90), part],
    ])
      expect(checks.findSmallParts(separate, {})).toEqual([]);
    expect(checks.findSmallParts([part], { 'src/a/part.ts': 'a table' })).toEqual([
      'src/a/part.ts:1 has a reason to be separate and needs none',
    ]);
  });

  it('find a file that its registry does not list', () => {
    const files = [
      file('src/weights/quants/index.ts', 'src/weights/quants/q8.ts'),
      file('src/weights/quants/q8.ts'),
      file('src/weights/quants/q4.ts'),
    ];
    expect(checks.findUnlisted(files)).toEqual([
      'src/weights/quants/q4.ts:1 is not listed in src/weights/quants/index.ts',
    ]);
  });

  it('find an import of a file that is not there, and a folder named utils', () => {
    expect(checks.findMissingTargets([file('src/a/x.ts', 'src/a/gone.ts')])).toHaveLength(1);
    expect(checks.findEmptyNames([file('src/a/utils/x.ts')])).toHaveLength(1);
  });

  it('find an exported name that two modules declare, and a reason that no name needs', () => {
    const declare = (path: string, text: string) => ({ path, text });
    const one = declare('src/billing/x.ts', 'export interface Meter {\n}\nexport type CallOptions = 1;');
    const both = [one, declare('src/relay/y.ts', 'export class Meter {}\nconst run = 1;\nexport const run = 2;')];
    const registry = declare('src/wire/dialects/z.ts', 'export const Meter = 1;');
    const ofNames = (files: readonly { path: string; text: string }[]) =>
      checks.findRepeatedNames(files).filter((offence) => !offence.includes('has a reason'));
    expect(ofNames(both)).toEqual(['Meter is declared in src/billing/x.ts and src/relay/y.ts']);
    expect(ofNames([one, registry, declare('src/billing/v.ts', 'export class Meter {}')])).toEqual([]);
    expect(checks.findRepeatedNames([one])).toContain(
      'test/repo/architecture-rules.ts:1 CallOptions has a reason to be repeated and is not',
    );
  });
});
