import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { codeTables } from '../repo/code-tables.js';
import { generatedPart, generatedParts, withGeneratedPart } from '../repo/docs.js';

const parts = await generatedParts(codeTables);

it.each(parts)('the part $name of $path is what `npm run docs` writes', ({ path, name, content }) => {
  expect(generatedPart(readFileSync(path, 'utf8'), name)).toBe(content);
});

it('the parts have every endpoint and every command', () => {
  const contentOf = (name: string): string => parts.find((part) => part.name === name)?.content ?? '';
  expect(contentOf('routes')).toMatch(/GET \| `\/v1\/models\/\{/);
  for (const command of ['run', 'convert', 'serve', 'bench']) {
    expect(contentOf('commands')).toContain(`### native-engine ${command}\n`);
  }
});

it('a part is written between its marks, once or again', () => {
  const empty = 'a\n<!-- x: begin -->\n<!-- x: end -->\nb\n';
  const once = withGeneratedPart(empty, 'x', 'first');
  expect(once).toBe('a\n<!-- x: begin -->\nfirst\n<!-- x: end -->\nb\n');
  expect(withGeneratedPart(once, 'x', 'second')).toBe(once.replace('first', 'second'));
  expect(() => withGeneratedPart('a', 'x', 'b')).toThrow(/no generated part x/);
});
