// `npm run docs`: writes the generated parts into ARCHITECTURE.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { codeTables } from '../../src/cli/exit-codes.js';
import { errorsTable, withGeneratedPart } from './docs.js';

const path = 'ARCHITECTURE.md';
writeFileSync(path, withGeneratedPart(readFileSync(path, 'utf8'), 'errors', errorsTable(codeTables)));
