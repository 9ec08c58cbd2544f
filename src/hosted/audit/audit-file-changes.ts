import { toErrorData, type LogEntry } from '../../base/index.js';
import type { Billing, Change } from '../../billing/index.js';
import {
  changesSinceLast,
  compareFiles,
  keepLast,
  toFileFacts,
  type FileChanges,
  type FileFacts,
} from '../../metering/index.js';
import type { HostedConfig } from '../config/index.js';

/** What the audit log gets of hosted.yaml. */
export interface FileAudit {
  /** The node works by the file that it starts with: the log gets what changed while no node ran here. */
  start(): Promise<void>;
  /** The node took up a changed file. `needRestart`: fields that the next start takes up. */
  reload(now: HostedConfig, needRestart: readonly string[]): Promise<void>;
  /** The node refused the file as it is now. */
  refuse(code: string): Promise<void>;
}

/**
 * Writes changes of the hosted.yaml of a node that starts with `first`. A file that changes nothing has no entry. A node does
 * not depend on the log here: the file is changed already.
 */
export function createFileAudit(
  first: HostedConfig,
  audit: Pick<Billing['audit'], 'record'>,
  log: (entry: LogEntry) => void,
): FileAudit {
  let last = configFacts(first);
  const action = 'config.reload';
  const tryTo = (what: string, work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => log({ event: what, action, code: toErrorData(error).code }));
  const record = (entry: Pick<Change, 'outcome' | 'reason' | 'diff'>): Promise<void> =>
    tryTo('audit failed', audit.record({ actor: 'system', action, target: 'config', ...entry }));
  const recordChanges = (found: FileChanges, more: Pick<Change, 'reason' | 'diff'>): Promise<void> =>
    found.changes.length === 0 ? Promise.resolve() : record({ ...more, diff: { ...found, ...more.diff } });
  const keep = (dataDir: string): Promise<void> => tryTo('last file not kept', keepLast(dataDir, last));
  return {
    async start() {
      await recordChanges(await changesSinceLast(first.dataDir, last), { reason: 'start', diff: {} });
      await keep(first.dataDir);
    },
    async reload(now, needRestart) {
      const [before, after] = [last, configFacts(now)];
      last = after;
      const diff = needRestart.length === 0 ? {} : { needs_restart: needRestart };
      await recordChanges(compareFiles(before, after), { diff });
      await keep(now.dataDir);
    },
    refuse: (code) => record({ outcome: 'refused', reason: code }),
  };
}

/** A hosted.yaml as the audit log compares it. */
function configFacts(config: HostedConfig): FileFacts {
  return toFileFacts(config, ['providers']);
}
