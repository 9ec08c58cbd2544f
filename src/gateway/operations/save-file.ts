// Changes of gateway.yaml, made by a page or a command: audited, written over the text that was read, taken up at once.
import { AppError, codeOf, isError } from '../../base/index.js';
import {
  compareFiles,
  type AuditEnd,
  type AuditIntent,
  type ActionOutcome,
  type FileFacts,
  type KeyRecord,
  type Meter,
} from '../../metering/index.js';
import { configFacts } from '../audit/config-facts.js';
import { toAuditEnd } from '../audit/to-audit-end.js';
import { checkGatewayConfig, parseGatewayConfig, updateGatewayFile } from '../config/index.js';
import { findUncounted } from '../routing/counted-budgets.js';

/** The file of a gateway, and the gateway that works by it. */
export interface ServedFile {
  readonly path: string;
  readonly meter: Meter;
  /** Has the gateway take up the file. */
  readonly reload: () => Promise<unknown>;
}

/** A text of the file. */
export interface FileText {
  readonly text: string;
  readonly etag: string;
}

/** The new text, and additions to the audit entry besides the changed fields. */
export interface FileChange extends AuditIntent {
  readonly before: FileText;
  readonly text: string;
}

/**
 * Writes the file if it is still the one that was read, with one audit entry of every value before and after. Errors:
 * `audit_unavailable` before anything was written; `gateway_config_changed`, those of files.
 */
export async function saveFile({ path, meter, reload }: ServedFile, change: FileChange): Promise<FileText> {
  const { before, text, diff = {}, ...event } = change;
  if (text === before.text) return before;
  const entry = { ...event, diff: { ...diff, ...summarize(before.text, text, path) } };
  const write = (): Promise<FileText> => updateGatewayFile(path, () => text, { etag: before.etag, keepsBackup: true });
  const written = await meter.audit.during(entry, write, (ended: ActionOutcome<FileText>): AuditEnd =>
    toAuditEnd(ended),
  );
  await reload();
  return { text, etag: written.etag };
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

/** The changes, for the audit log. */
function summarize(before: string, after: string, path: string): object {
  // A file that could not be used is replaced whole.
  if (checkGatewayConfig(before).file === undefined) return { replaced: true };
  const factsOf = (text: string): FileFacts => configFacts(parseGatewayConfig(text, path).config);
  return compareFiles(factsOf(before), factsOf(after));
}
