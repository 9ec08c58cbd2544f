// Changes of gateway.yaml that an operator makes over the API: audited, written by etag, taken up at once, reported.
import { codeOf } from '../../../base/index.js';
import { editGatewayConfig, readGatewayText, type ConfigEdit } from '../../config/index.js';
import { saveFile, toUsable, type FileText } from '../../operations/save-file.js';
import type { AdminContext } from '../admin-context.js';
import { changedMeanwhile, checkEtag, type AdminCall } from '../admin-route.js';
import { pruneVersions } from './config-history.js';

/** A change of the file. */
export interface ConfigSave {
  /** The etag of the text that the operator read. */
  readonly etag: string;
  /** Its new text. */
  readonly toText: (text: string) => string;
  /** For the audit log. */
  readonly action: string;
  readonly target?: string;
  readonly diff?: Readonly<Record<string, unknown>>;
}

/** The result of a change. */
export interface SavedConfig {
  readonly before: string;
  readonly text: string;
  readonly etag: string;
}

/** Whether the current file is in use. */
export interface ConfigState {
  readonly in_use: boolean;
  readonly refused: string | null;
  readonly needs_restart: string[];
}

/**
 * Writes the file and reloads the gateway. If the reload fails, for instance because a runtime's key is missing, the
 * file stays written and the result says so. Errors: `etag_mismatch`, `config_refused` for a text that cannot be used,
 * `audit_unavailable`, those of files.
 */
export async function saveConfig(
  { context, record }: Pick<AdminCall<unknown, unknown>, 'context' | 'record'>,
  { etag, toText, action, target = 'config', diff = {} }: ConfigSave,
): Promise<SavedConfig> {
  const { configPath: path, meter } = context;
  const { before, text } = await makeText(context, etag, toText);
  const reload = async (): Promise<void> => {
    await pruneVersions(path);
    await context.reload();
  };
  const change = { actor: record.by ?? { kind: 'admin' }, action, target, diff, before, text };
  const saved = await saveFile({ path, meter, reload }, change).catch((error: unknown) => {
    throw codeOf(error) === 'gateway_config_changed' ? changedMeanwhile('gateway.yaml') : error;
  });
  return { before: before.text, ...saved };
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

/** The text after the edits, with its current etag. Writes nothing. Errors: those of `saveEdits`. */
export async function previewEdits(
  context: AdminContext,
  edits: readonly ConfigEdit[],
  etag: string,
): Promise<SavedConfig> {
  const toText = (text: string): string => editGatewayConfig(text, edits, context.configPath);
  const { before, text } = await makeText(context, etag, toText);
  return { before: before.text, text, etag };
}

/** The text of `etag`, and the changed text. Errors: `etag_mismatch`, `config_refused`, those of files. */
async function makeText(
  { configPath: path, meter }: AdminContext,
  etag: string,
  toText: ConfigSave['toText'],
): Promise<{ readonly before: FileText; readonly text: string }> {
  const before = await readGatewayText(path);
  checkEtag(etag, before.etag, 'gateway.yaml');
  return { before, text: toUsable(path, () => toText(before.text), meter.keys()) };
}

/** Whether the gateway works by the file of `etag`. */
export function stateOf({ inUse, refused, config }: AdminContext, etag: string): ConfigState {
  const reason = refused();
  const read = inUse();
  const needs = (['gatewayId', 'listen', 'dataDir', 'admin'] as const).filter(
    (name) => JSON.stringify(read.config[name]) !== JSON.stringify(config()[name]),
  );
  const names = { gatewayId: 'gateway_id', listen: 'listen', dataDir: 'data_dir', admin: 'admin' } as const;
  return {
    in_use: reason === undefined && read.etag === etag,
    refused: reason ?? null,
    needs_restart: needs.map((name) => names[name]),
  };
}
