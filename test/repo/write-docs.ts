// `npm run docs`: writes the generated parts into the documents.
import { readFileSync, writeFileSync } from 'node:fs';
import { codeTables } from './code-tables.js';
import { generatedParts, withGeneratedPart } from './docs.js';
import { jsonSchemaParts } from './json-schema-page.js';

for (const { path, name, content } of [...(await generatedParts(codeTables)), ...jsonSchemaParts()]) {
  writeFileSync(path, withGeneratedPart(readFileSync(path, 'utf8'), name, content));
}
