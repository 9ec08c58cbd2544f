// The file as the gateway worked by it last, in the data directory: what was changed while no gateway ran is in the audit log too.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../base/index.js';
import type { GatewayConfig } from '../config/index.js';
import { compareConfigs, type ConfigChanges } from './config-changes.js';

const FILE = 'last-config.json';
const MODE = 0o600;
/** A gateway.yaml has 1 MiB at most; as JSON with its defaults it may have a few times that. */
const MAX_BYTES = 16 << 20;

/** Before the first start there was nothing in the file. */
type LastConfig = Pick<GatewayConfig, 'runtimes' | 'models' | 'virtualKeys'>;
const NOTHING: LastConfig = { runtimes: [], models: [], virtualKeys: [] };

/** What changed since the gateway of `config` worked by its file last. A record that cannot be read is none. */
export async function changesSinceLast(config: GatewayConfig): Promise<ConfigChanges> {
  // Of a first start the entries are new, and the fields are as they are.
  return compareConfigs({ ...config, ...NOTHING, ...(await readLast(join(config.dataDir, FILE))) }, config);
}

/** Keeps `config` as what the gateway works by. Errors: those of the system. */
export async function keepLast(config: GatewayConfig): Promise<void> {
  await replaceFile(join(config.dataDir, FILE), JSON.stringify(config), MODE);
}

async function readLast(path: string): Promise<Partial<GatewayConfig>> {
  try {
    const text = await readFile(path, 'utf8');
    const value: unknown = text.length > MAX_BYTES ? undefined : JSON.parse(text);
    const isConfig = (Object.keys(NOTHING) as (keyof LastConfig)[]).every((list) =>
      Array.isArray(Reflect.get(Object(value) as object, list)),
    );
    return isConfig ? (value as GatewayConfig) : {};
  } catch {
    return {};
  }
}
