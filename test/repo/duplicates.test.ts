import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findDuplicates, type Duplicate } from './find-duplicates.js';
import { namedDuplicates } from './named-duplicates.js';
import { listFiles } from './source-tree.js';

const block = (name: string): string => ['a', 'b', 'c', 'd', 'e', 'f'].map((at) => `${name}(${at});`).join('\n');

function matches(pattern: string, path: string): boolean {
  return pattern.endsWith('/*') ? path.startsWith(pattern.slice(0, -1)) : basename(path) === pattern;
}

function isNamedBy({ first, second }: Duplicate, [a, b]: readonly [string, string]): boolean {
  return (matches(a, first) && matches(b, second)) || (matches(a, second) && matches(b, first));
}

describe('the finder of duplicates', () => {
  it('finds six lines whatever their indent, blank lines and comments, and says where', () => {
    const files = [
      { path: 'a.ts', text: `start();\n${block('run')}` },
      { path: 'b.ts', text: `// why\n\n  ${block('run').replaceAll('\n', '\n\n  // why\n  ')}\nend();` },
    ];
    expect(findDuplicates(files)).toEqual([{ first: 'a.ts', firstLine: 2, second: 'b.ts', secondLine: 3, length: 6 }]);
  });

  it('finds them twice in one file, and counts no run that overlaps itself', () => {
    expect(findDuplicates([{ path: 'a.ts', text: `${block('x')}\nmiddle();\n${block('x')}` }])).toHaveLength(1);
    expect(findDuplicates([{ path: 'a.ts', text: 'same();\n'.repeat(9) }])).toEqual([]);
  });

  it('finds nothing in five lines, nor in imports', () => {
    const five = block('run').split('\n').slice(1).join('\n');
    const imports = `import {\n${'abcdefgh'.split('').join(',\n')}\n} from 'x';`;
    const text = `${imports}\n${five}`;
    expect(
      findDuplicates([
        { path: 'a.ts', text },
        { path: 'b.ts', text: `${text}\nmore();` },
      ]),
    ).toEqual([]);
  });
});

describe('the sources', () => {
  const files = ['src', 'test', 'bench', 'kernels-as']
    .flatMap((folder) => ['.ts', '.tsx'].flatMap((extension) => listFiles(folder, extension)))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
  const found = findDuplicates(files);

  it('are all looked at', () => {
    expect(files.length).toBeGreaterThan(700);
  });

  it('have no six lines twice without a reason', () => {
    const unnamed = found.filter((duplicate) => !namedDuplicates.some((named) => isNamedBy(duplicate, named.files)));
    expect(
      unnamed.map(
        ({ first, firstLine, second, secondLine, length }) =>
          `${first}:${firstLine} ~ ${second}:${secondLine}, ${length} lines`,
      ),
    ).toEqual([]);
  });

  it('have every duplicate that is named', () => {
    const stale = namedDuplicates.filter((named) => !found.some((duplicate) => isNamedBy(duplicate, named.files)));
    expect(stale.map(({ files: pair }) => pair.join(' ~ '))).toEqual([]);
  });
});
