// The parts of the documents that are made from the code. `npm run docs` writes them; errors.test.ts holds them together.
import { httpAnswers } from '../../src/api/index.js';
import type { CodeTable } from '../../src/base/index.js';
import { exitByBlame } from '../../src/cli/exit-codes.js';

/** Every error code by module: who must act, exit status of the command line, HTTP status (– where no client can cause it), when it happens. */
export function errorsTable(tables: Readonly<Record<string, CodeTable>>): string {
  const rows = Object.entries(tables).flatMap(([module, table]) =>
    Object.entries(table).map(([code, { who, when }]) => {
      const exit = code === 'interrupted' ? 130 : exitByBlame[who];
      const http = httpAnswers.get(code)?.status ?? '–';
      return `| \`${code}\` | ${module} | ${who} | ${exit} | ${http} | ${when} |`;
    }),
  );
  return ['| code | module | who acts | exit | HTTP | when |', '|---|---|---|---|---|---|', ...rows].join('\n');
}

const marks = (name: string): [string, string] => [`<!-- ${name}: begin -->\n`, `\n<!-- ${name}: end -->`];

/** What stands between the marks of a generated part. Throws when the marks are not there. */
export function generatedPart(document: string, name: string): string {
  const [begin, end] = marks(name);
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from === -1 || to < from) throw new Error(`the document has no generated part ${name}`);
  return document.slice(from + begin.length, to).trim();
}

/** The document with another generated part. */
export function withGeneratedPart(document: string, name: string, content: string): string {
  const [begin, end] = marks(name);
  generatedPart(document, name);
  return `${document.slice(0, document.indexOf(begin) + begin.length)}${content}${document.slice(document.indexOf(end))}`;
}
