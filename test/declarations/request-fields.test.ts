import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { expect, it } from 'vitest';
import { ChatCompletionRequest } from '../../src/wire/request-schemas.js';
import { samplerFields } from '../../src/wire/sampler-fields.js';
import { ignoredFields } from '../../src/wire/parsing/ignored-fields.js';
import { unsupportedFieldNames } from '../../src/wire/parsing/unsupported-fields.js';

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
  const written = ['ChatCompletionRequest', 'SamplingFields', 'FormatFields'].flatMap(fieldsOf);
  // Those of samplers are typed by what the samplers declare, whether they are written out too or not.
  const typed = new Set([...written, ...Object.keys(samplerFields)]);
  expect([...typed].toSorted()).toEqual(Object.keys(ChatCompletionRequest.properties).toSorted());
});

it('the types name every field that is refused until it works', () => {
  expect(fieldsOf('UnsupportedFields').toSorted()).toEqual(unsupportedFieldNames.toSorted());
});

it('the types name every field that is ignored', () => {
  expect(fieldsOf('IgnoredFields').toSorted()).toEqual(ignoredFields.toSorted());
});
