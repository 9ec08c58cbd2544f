import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { expect, it } from 'vitest';
import { ChatCompletionRequest } from '../../src/api/index.js';
import { ignoredFields } from '../../src/api/fields/ignored-fields.js';
import { unsupportedFieldNames } from '../../src/api/fields/unsupported-fields.js';

const text = readFileSync(join(process.cwd(), 'dist/types/index.d.ts'), 'utf8');
const { program } = parseSync('index.d.ts', text, { lang: 'dts' });

/** The fields that a public interface declares itself. */
function fieldsOf(name: string): string[] {
  const found = program.body.find((node) => node.type === 'TSInterfaceDeclaration' && node.id.name === name);
  if (found?.type !== 'TSInterfaceDeclaration') throw new Error(`there is no interface ${name}`);
  return found.body.body.flatMap((member) =>
    member.type === 'TSPropertySignature' && member.key.type === 'Identifier' ? [member.key.name] : [],
  );
}

it('the types of a request have the fields that its schema has, and no other', () => {
  const typed = [...fieldsOf('ChatCompletionRequest'), ...fieldsOf('SamplingFields')];
  expect(typed.toSorted()).toEqual(Object.keys(ChatCompletionRequest.properties).toSorted());
});

it('the types name every field that is refused until it works', () => {
  expect(fieldsOf('UnsupportedFields').toSorted()).toEqual(unsupportedFieldNames.toSorted());
});

it('the types name every field that is ignored', () => {
  expect(fieldsOf('IgnoredFields').toSorted()).toEqual(ignoredFields.toSorted());
});
