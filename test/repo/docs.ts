// The parts of the documents that are made from the code. `npm run docs` writes them; errors.test.ts holds them together.
import { toHttpAnswer } from '../../src/api/index.js';
import { createKindOf, type CodeTable } from '../../src/base/index.js';
import { exitByBlame } from '../../src/cli/exit-codes.js';

/** Of a program's own options, and of a listener that never listens. */
const AT_START: readonly string[] = [
  'invalid_option',
  'address_in_use',
  'address_unavailable',
  'transport_unavailable',
  'transport_unsafe',
];

/** Whether an error of a module can be the answer to an HTTP client. */
export function isAnswered(module: string, code: string): boolean {
  return module !== 'cli' && !AT_START.includes(code);
}

/** Every error code by module: who must act, its kind, exit status of the command line, HTTP status (– where no client can cause it), when it happens. */
export function errorsTable(tables: Readonly<Record<string, CodeTable>>): string {
  const kindOf = createKindOf(Object.values(tables));
  const rows = Object.entries(tables).flatMap(([module, table]) =>
    Object.entries(table).map(([code, { who, kind, when }]) => {
      const exit = code === 'interrupted' ? 130 : exitByBlame[who];
      const http = isAnswered(module, code) ? toHttpAnswer(code, kindOf).status : '–';
      return `| \`${code}\` | ${module} | ${who} | ${kind} | ${exit} | ${http} | ${when} |`;
    }),
  );
  return ['| code | module | who acts | kind | exit | HTTP | when |', '|---|---|---|---|---|---|---|', ...rows].join(
    '\n',
  );
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
