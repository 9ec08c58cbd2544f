// The tables of docs/json-schema.md. `npm run docs` writes them; test/grammar/schema/suite.test.ts holds them to the code.
import { enforcedFormats } from '../../src/grammar/schema/index.js';
import { runSuite, type GroupResult } from '../grammar/schema/suite.js';
import type { GeneratedPart } from './docs.js';

/** Per draft: schemas, those that compile, those that are refused, and instances about which an answer is wrong. */
export function suiteTable(suite: readonly (readonly [draft: string, results: readonly GroupResult[]])[]): string {
  const rows = suite.map(([draft, results]) => {
    const refused = results.filter(({ refusal }) => refusal !== undefined).length;
    const tried = results.filter(({ refusal }) => refusal === undefined);
    const count = (of: (result: GroupResult) => readonly unknown[]): number =>
      tried.reduce((sum, result) => sum + of(result).length, 0);
    const cells = [draft, results.length, tried.length, refused, count(({ group }) => group.tests)];
    return `| ${[...cells, count(({ accepted }) => accepted), count(({ missed }) => missed)].join(' | ')} |`;
  });
  const head = [
    'draft',
    'schemas',
    'compiled',
    'refused',
    'instances tried',
    'accepted wrongly',
    'valid, not accepted',
  ];
  return [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows].join('\n');
}

/** The formats that are enforced, and what each leaves out of its standard. */
export function formatsTable(): string {
  const rows = enforcedFormats.map(({ name, narrower }) => `| \`${name}\` | ${narrower === '' ? '–' : narrower} |`);
  return ['| format | narrower than its standard |', '|---|---|', ...rows].join('\n');
}

/** The generated parts of the page. */
export function jsonSchemaParts(): readonly GeneratedPart[] {
  const path = 'docs/json-schema.md';
  return [
    { path, name: 'formats', content: formatsTable() },
    { path, name: 'suite', content: suiteTable(runSuite()) },
  ];
}
