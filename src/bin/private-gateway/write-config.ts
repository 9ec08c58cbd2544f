import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/index.js';
import {
  createConfigFile,
  editGatewayConfig,
  newGatewayConfig,
  parseGatewayConfig,
  updateConfigFile,
  type ConfigEdit,
  type FoundRuntime,
  type GatewayConfig,
  type NewEntry,
  planEntries,
  type Plan,
} from '../../gateway/index.js';
import { createKeyId, createKeySecret } from '../../metering/index.js';

/** A file that is there. */
export interface Base {
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

/** What became of a file. */
export interface Written {
  readonly path: string;
  readonly outcome: 'created' | 'updated' | 'unchanged';
  readonly config: GatewayConfig;
  readonly plan: Plan;
  /** Where the text before is. */
  readonly backup: string | undefined;
  /** Undefined where the file had keys. */
  readonly key: MadeKey | undefined;
}

const KEY_NAME = 'default';

/**
 * Writes `runtimes` with their models into a new file, or into that of `base`, and a key where there is none. Errors: those of
 * `createConfigFile`, `updateConfigFile` and `editGatewayConfig`.
 */
export async function writeConfig(
  path: string,
  runtimes: readonly FoundRuntime[],
  base: Base | undefined,
  clock: Clock,
): Promise<Written> {
  const plan = planEntries(runtimes, base?.config);
  const { key, entry } = base === undefined || base.config.virtualKeys.length === 0 ? makeKey(clock) : noKey;
  const edits = [
    ...plan.edits,
    ...entry.map((each): ConfigEdit => ({ action: 'add', list: 'virtual_keys', entry: each })),
  ];
  const result = { path, plan, key };
  if (base === undefined) {
    const empty = newGatewayConfig({ gatewayId: createGatewayId() }, path);
    const text = editGatewayConfig(empty, edits, path);
    await createConfigFile(path, text);
    return { ...result, outcome: 'created', config: parseGatewayConfig(text, path).config, backup: undefined };
  }
  const { text, backup } = await updateConfigFile(path, (before) => editGatewayConfig(before, edits, path), {
    etag: base.etag,
    keepsBackup: true,
    clock,
  });
  const outcome = edits.length === 0 ? 'unchanged' : 'updated';
  return { ...result, outcome, config: parseGatewayConfig(text, path).config, backup };
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
