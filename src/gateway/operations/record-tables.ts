// Records as tables of CSV, the same from a command and from a page.
import { toCsvLine, type CsvCell } from '../../base/index.js';
import type { showRequest, showUsage } from './shown-records.js';

type Row<T> = readonly (readonly [string, (row: T) => CsvCell])[];
/** Usage of one key, model or day, as commands and pages show it. */
export type ShownUsage = ReturnType<typeof showUsage>;
/** A row of the request log, as commands and pages show it. */
export type ShownRequest = ReturnType<typeof showRequest>;

const REQUESTS: Row<ShownRequest> = [
  ['time', ({ time }) => time],
  ['request_id', ({ request_id: id }) => id],
  ['key_id', ({ key_id: id }) => id],
  ['key_name', ({ key_name: name }) => name],
  ['route', ({ route }) => route],
  ['model', ({ model }) => model],
  ['runtime', ({ runtime }) => runtime],
  ['upstream_model', ({ upstream_model: model }) => model],
  ['status', ({ status }) => status],
  ['error_code', ({ error_code: code }) => code],
  ['stream', ({ stream }) => stream],
  ['client_left', ({ aborted }) => aborted],
  ['prompt_tokens', ({ prompt_tokens: tokens }) => tokens],
  ['cached_tokens', ({ cached_tokens: tokens }) => tokens],
  ['cache_write_tokens', ({ cache_write_tokens: tokens }) => tokens],
  ['completion_tokens', ({ completion_tokens: tokens }) => tokens],
  ['reasoning_tokens', ({ reasoning_tokens: tokens }) => tokens],
  ['estimated', ({ estimated }) => estimated],
  ['first_byte_ms', ({ first_byte_ms: ms }) => ms],
  ['duration_ms', ({ duration_ms: ms }) => ms],
  ['bytes_in', ({ bytes_in: bytes }) => bytes],
  ['bytes_out', ({ bytes_out: bytes }) => bytes],
];

/** What a line of usage is of. */
export type UsageBy = 'key' | 'model' | 'day';

function usageColumns(by: UsageBy): Row<ShownUsage> {
  const of: Row<ShownUsage> =
    by === 'key'
      ? [
          ['key_id', ({ name }) => name],
          ['key_name', ({ key_name: name }) => name],
        ]
      : [[by, ({ name }) => name]];
  return [
    ...of,
    ['requests', ({ requests }) => requests],
    ['estimated_requests', ({ estimated_requests: requests }) => requests],
    ['prompt_tokens', ({ prompt_tokens: tokens }) => tokens],
    ['cached_tokens', ({ cached_tokens: tokens }) => tokens],
    ['completion_tokens', ({ completion_tokens: tokens }) => tokens],
    ['reasoning_tokens', ({ reasoning_tokens: tokens }) => tokens],
    ['charged_tokens', ({ charged_tokens: tokens }) => tokens],
    ['uncharged_tokens', ({ uncharged_tokens: tokens }) => tokens],
    ['cost', ({ cost }) => cost],
    ['currency', ({ currency }) => currency],
  ];
}

/** A table of CSV: its first line, and the line of a row. */
export interface CsvTable<T> {
  readonly header: string;
  readonly line: (row: T) => string;
}

function tableOf<T>(columns: Row<T>): CsvTable<T> {
  return {
    header: toCsvLine(columns.map(([name]) => name)),
    line: (row) => toCsvLine(columns.map(([, cell]) => cell(row))),
  };
}

/** The request log as a table. */
export const requestTable: CsvTable<ShownRequest> = tableOf(REQUESTS);

/** Usage as a table. */
export function usageTable(by: UsageBy): CsvTable<ShownUsage> {
  return tableOf(usageColumns(by));
}
