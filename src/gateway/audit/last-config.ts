// The last file that the gateway worked by, in the data directory. By it the audit log also gets changes made while no
// gateway ran.
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

/** Changes since the last file of the gateway of `config`. An unreadable record counts as none. */
export async function changesSinceLast(config: GatewayConfig): Promise<ConfigChanges> {
  // Of a first start the entries are new, and the fields are as they are.
  return compareConfigs({ ...config, ...NOTHING, ...(await readLast(join(config.dataDir, FILE))) }, config);
}

/** Keeps `config` as the last file of the gateway. Errors: those of the system. */
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
