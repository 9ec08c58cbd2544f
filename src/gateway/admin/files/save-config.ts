// Changes of gateway.yaml that an operator makes over the API: audited, written by etag, taken up at once, told of.
import { AppError, codeOf, isError } from '../../../base/index.js';
import {
  checkGatewayConfig,
  editGatewayConfig,
  parseGatewayConfig,
  readConfigText,
  updateConfigFile,
  type ConfigEdit,
  type GatewayConfig,
} from '../../config/index.js';
import type { KeyRecord } from '../../../metering/index.js';
import { findUncounted } from '../../routing/counted-budgets.js';
import type { AdminContext } from '../admin-context.js';
import { changedMeanwhile, checkEtag, type AdminCall } from '../admin-route.js';
import { audited } from '../audited.js';
import { pruneVersions } from './config-history.js';

/** What is to become of the file. */
export interface ConfigSave {
  /** Of the text that the operator had read. */
  readonly etag: string;
  /** Its new text. */
  readonly toText: (text: string) => string;
  /** For the audit log. */
  readonly action: string;
  readonly target?: string;
  readonly diff?: Readonly<Record<string, unknown>>;
}

/** What became of it. */
export interface SavedConfig {
  readonly before: string;
  readonly text: string;
  readonly etag: string;
}

/** Whether the gateway works by the file as it is. */
export interface ConfigState {
  readonly in_use: boolean;
  readonly refused: string | null;
  readonly needs_restart: string[];
}

/**
 * Writes the file and has the gateway take it up. What it cannot take up, as a key of a runtime that is not there, is written
 * and told. Errors: `etag_mismatch`, `config_refused` for a text that cannot be used, `audit_unavailable`, those of files.
 */
export async function saveConfig(
  call: Pick<AdminCall<unknown, unknown>, 'context' | 'record'>,
  { etag, toText, action, target = 'config', diff = {} }: ConfigSave,
): Promise<SavedConfig> {
  const { configPath: path, reload } = call.context;
  const before = await readConfigText(path);
  checkEtag(etag, before.etag, 'gateway.yaml');
  const text = toUsable(path, () => toText(before.text), call.context.meter.keys());
  if (text === before.text) return { before: text, text, etag: before.etag };
  const written = await audited(
    call,
    { action, target, diff: { ...diff, ...summarize(before.text, text, path) } },
    () =>
      updateConfigFile(path, () => text, { etag, keepsBackup: true }).catch((error: unknown) => {
        throw codeOf(error) === 'gateway_config_changed' ? changedMeanwhile('gateway.yaml') : error;
      }),
  );
  await pruneVersions(path);
  await reload();
  return { before: before.text, text, etag: written.etag };
}

/** The same by edits, which keep comments. Errors: also `gateway_config_edit`. */
export function saveEdits(
  call: Pick<AdminCall<unknown, unknown>, 'context' | 'record'>,
  edits: readonly ConfigEdit[],
  save: Omit<ConfigSave, 'toText'>,
): Promise<SavedConfig> {
  const { configPath } = call.context;
  return saveConfig(call, { ...save, toText: (text) => editGatewayConfig(text, edits, configPath) });
}

/** The text that `make` makes. Errors: `config_refused` where it cannot be used, or not with the keys of the database. */
export function toUsable(path: string, make: () => string, keys: readonly KeyRecord[]): string {
  try {
    const text = make();
    const uncounted = findUncounted(keys, parseGatewayConfig(text, path).config.models);
    if (uncounted !== undefined) throw new AppError('config_refused', uncounted);
    return text;
  } catch (error) {
    if (codeOf(error) !== 'gateway_config_invalid' || !isError(error)) throw error;
    throw new AppError('config_refused', error.message);
  }
}

/** Whether the file of `etag` is what the gateway works by. */
export function stateOf({ inUse, refused, config }: AdminContext, etag: string): ConfigState {
  const reason = refused();
  const read = inUse();
  const needs = (['gatewayId', 'listen', 'dataDir'] as const).filter(
    (name) => JSON.stringify(read.config[name]) !== JSON.stringify(config()[name]),
  );
  const names = { gatewayId: 'gateway_id', listen: 'listen', dataDir: 'data_dir' } as const;
  return {
    in_use: reason === undefined && read.etag === etag,
    refused: reason ?? null,
    needs_restart: needs.map((name) => names[name]),
  };
}

/** Which entries changed, for the audit log: ids and names of fields, and no values. */
function summarize(before: string, after: string, path: string): Readonly<Record<string, unknown>> {
  // A file that could not be used is replaced whole.
  if (checkGatewayConfig(before).file === undefined) return { replaced: true };
  const [old, now] = [parseGatewayConfig(before, path).config, parseGatewayConfig(after, path).config];
  const changes: Record<string, unknown> = {};
  for (const list of ['runtimes', 'models', 'virtualKeys'] as const) {
    const change = compareEntries(old[list], now[list]);
    if (change !== undefined) changes[list] = change;
  }
  const fields = ['gatewayId', 'listen', 'dataDir', 'passthrough', 'corsOrigins', 'limits', 'retention'] as const;
  const changed = fields.filter((name) => !isSame(old[name], now[name]));
  return { ...changes, ...(changed.length > 0 && { fields: changed }) };
}

type Entries = GatewayConfig['runtimes' | 'models' | 'virtualKeys'];

function compareEntries(before: Entries, after: Entries): Readonly<Record<string, readonly string[]>> | undefined {
  const old = new Map<string, unknown>(before.map((entry) => [entry.id, entry]));
  const now = new Map<string, unknown>(after.map((entry) => [entry.id, entry]));
  const added = [...now.keys()].filter((id) => !old.has(id));
  const removed = [...old.keys()].filter((id) => !now.has(id));
  const changed = [...now].flatMap(([id, entry]) => (old.has(id) && !isSame(old.get(id), entry) ? [id] : []));
  const change = Object.fromEntries(Object.entries({ added, removed, changed }).filter(([, ids]) => ids.length > 0));
  return Object.keys(change).length === 0 ? undefined : change;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
