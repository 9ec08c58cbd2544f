// The tables of docs/errors.md. `npm run docs` writes them; errors.test.ts holds them to the code.
import { status as grpcStatus } from '@grpc/grpc-js';
import { toHttpAnswer } from '../../src/api/index.js';
import { AppError, createKindOf, type CodeTable } from '../../src/base/index.js';
import { exitByBlame } from '../../src/cli/exit-codes.js';
import { createStatusMapper } from '../../src/grpc/index.js';
import { statusExceptions } from '../../src/server/services/production-server.js';
import { tablesByProduct } from './code-tables.js';
import { errorActions, REPORT } from './error-actions.js';

/** Of a program's own options, and of a listener that never listens. */
const AT_START: readonly string[] = [
  'invalid_option',
  'address_in_use',
  'address_unavailable',
  'transport_unavailable',
  'transport_unsafe',
  'metering_in_use',
  'metering_database_invalid',
];

/** Modules whose errors end in the program that throws them: the command line, and the clients. */
const NEVER_ANSWERED: readonly string[] = ['cli', 'remote', 'client'];
const HEAD =
  '| code | kind | who acts | HTTP | gRPC | exit | meaning | what to do |\n|---|---|---|---|---|---|---|---|';

/** Whether an error of a module can be the answer to an HTTP client. */
export function isAnswered(module: string, code: string): boolean {
  return module !== 'cli' && !AT_START.includes(code);
}

/** A table for each module: every code with its kind, who must act, its statuses (– where no client can get it), its meaning, and what to do. */
export function errorTables(tables: Readonly<Record<string, CodeTable>>): string {
  const kindOf = createKindOf(Object.values(tables));
  const toStatus = createStatusMapper(kindOf, statusExceptions);
  const row = (module: string, code: string, { who, kind, when }: CodeTable[string]): string => {
    const exit = code === 'interrupted' ? 130 : exitByBlame[who];
    const isRemote = NEVER_ANSWERED.includes(module) || !isAnswered(module, code);
    const http = isRemote ? '–' : toHttpAnswer(code, kindOf).status;
    const { status } = toStatus(new AppError(code, ''), '');
    const grpc = isRemote || !hasGrpc(module) ? '–' : grpcStatus[status.code];
    const cells = [`\`${code}\``, kind, who, http, grpc, exit, when, errorActions[code] ?? REPORT];
    return `| ${cells.join(' | ')} |`;
  };
  return Object.entries(tables)
    .map(([module, table]) => {
      const rows = Object.entries(table).map(([code, entry]) => row(module, code, entry));
      return [`### ${module}`, '', `Of ${productsOf(module)}.`, '', HEAD, ...rows].join('\n');
    })
    .join('\n\n');
}

/** Whether the gRPC server of the engine loads a module. */
function hasGrpc(module: string): boolean {
  return Object.hasOwn(tablesByProduct['native-engine'] ?? {}, module);
}

/** Who has the errors of a module. */
function productsOf(module: string): string {
  const names = Object.entries(tablesByProduct)
    .filter(([, tables]) => Object.hasOwn(tables, module))
    .map(([product]) => `\`${product}\``);
  if (module === 'client') names.push('`troupe/client`');
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? '');
}

/** How each kind is answered over HTTP and gRPC; codes with a status of their own are in the tables. */
export function errorKindsTable(tables: Readonly<Record<string, CodeTable>>): string {
  const entries = Object.values(tables).flatMap((table) => Object.values(table));
  const kinds = [...new Set(entries.map(({ kind }) => kind))].toSorted();
  const rows = kinds.map((kind) => {
    const { status, type } = toHttpAnswer(kind, () => kind);
    return `| ${kind} | ${status} | \`${type}\` | ${kind.toUpperCase()} |`;
  });
  return ['| kind | HTTP | `type` of an OpenAI body | gRPC |', '|---|---|---|---|', ...rows].join('\n');
}
