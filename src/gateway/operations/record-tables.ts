// Records as tables of CSV, the same from a command and from a page.
import { toCsvTable, type CsvColumns, type CsvTable } from '../../base/index.js';
import type { showRequest, showUsage } from './shown-records.js';

/** Usage of one key, model or day, as commands and pages show it. */
export type ShownUsage = ReturnType<typeof showUsage>;
/** A row of the request log, as commands and pages show it. */
export type ShownRequest = ReturnType<typeof showRequest>;

const REQUESTS: CsvColumns<ShownRequest> = [
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

/** The column by which usage is summed. */
export type UsageBy = 'key' | 'model' | 'day';

function usageColumns(by: UsageBy): CsvColumns<ShownUsage> {
  const of: CsvColumns<ShownUsage> =
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

/** The request log as a table. */
export const requestTable: CsvTable<ShownRequest> = toCsvTable(REQUESTS);

/** Usage as a table. */
export function usageTable(by: UsageBy): CsvTable<ShownUsage> {
  return toCsvTable(usageColumns(by));
}
