import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/index.js';
import {
  createGatewayFile,
  diffLines,
  editGatewayConfig,
  newGatewayConfig,
  parseGatewayConfig,
  updateGatewayFile,
  type ConfigEdit,
  type FoundRuntime,
  type GatewayConfig,
  type LineDiff,
  type NewEntry,
  planEntries,
  type Plan,
} from '../../gateway/index.js';
import { createKeyId, createKeySecret } from '../../metering/index.js';

/** A file that is there. */
export interface Base {
  readonly text: string;
  /** Of the text that was read: one that was changed meanwhile is left alone. */
  readonly etag: string;
  readonly config: GatewayConfig;
}

/** A key that was made, with its plain text, which is nowhere else. */
export interface MadeKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly secret: string;
}

/** A planned file. Nothing is written yet. */
export interface PlannedConfig {
  readonly path: string;
  /** Undefined where there is no file yet. */
  readonly base: Base | undefined;
  readonly text: string;
  readonly config: GatewayConfig;
  readonly plan: Plan;
  /** Undefined where the file has keys. */
  readonly key: MadeKey | undefined;
  /** The lines that change; undefined for a new file, and where nothing changes. */
  readonly diff: LineDiff | undefined;
}

/** A written file. */
export interface Written extends PlannedConfig {
  /** `declined`: the operator was shown the lines and did not say yes. */
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'declined';
  /** Where the text before is. */
  readonly backup: string | undefined;
}

const KEY_NAME = 'default';

/**
 * Plans `runtimes` with their models for a new file, or for that of `base`, and a key where there is none. Errors: those of
 * `editGatewayConfig`.
 */
export function planConfig(
  path: string,
  runtimes: readonly FoundRuntime[],
  base: Base | undefined,
  clock: Clock,
): PlannedConfig {
  const plan = planEntries(runtimes, base?.config);
  const { key, entry } = base === undefined || base.config.virtualKeys.length === 0 ? makeKey(clock) : noKey;
  const edits = [
    ...plan.edits,
    ...entry.map((each): ConfigEdit => ({ action: 'add', list: 'virtual_keys', entry: each })),
  ];
  const before = base?.text ?? newGatewayConfig({ gatewayId: createGatewayId() }, path);
  const text = edits.length === 0 ? before : editGatewayConfig(before, edits, path);
  const diff = base === undefined || text === before ? undefined : diffLines(before, text);
  return { path, base, text, config: parseGatewayConfig(text, path).config, plan, key, diff };
}

/** Writes a planned file. Errors: those of `createGatewayFile` and `updateGatewayFile`. */
export async function writeConfig(planned: PlannedConfig, clock: Clock): Promise<Written> {
  const { path, base, text, diff } = planned;
  if (base === undefined) {
    await createGatewayFile(path, text);
    return { ...planned, outcome: 'created', backup: undefined };
  }
  const written = await updateGatewayFile(path, () => text, { etag: base.etag, keepsBackup: true, clock });
  return { ...planned, outcome: diff === undefined ? 'unchanged' : 'updated', backup: written.backup };
}

/** 128 random bits: no two gateways share one. */
function createGatewayId(): string {
  return `gw_${randomBytes(16).toString('hex')}`;
}

interface KeyToWrite {
  readonly key: MadeKey | undefined;
  /** Its entry in the file, or none. */
  readonly entry: readonly NewEntry[];
}

const noKey: KeyToWrite = { key: undefined, entry: [] };

function makeKey(clock: Clock): KeyToWrite {
  const { secret, prefix, hash } = createKeySecret('gwk');
  const named = { id: createKeyId(clock.unixSeconds() * 1000), name: KEY_NAME, prefix };
  return { key: { ...named, secret }, entry: [{ ...named, hash, models: null }] };
}
