import { keyFacts, toFileFacts, type FileFacts } from '../../metering/index.js';
import type { GatewayConfig, VirtualKeyConfig } from '../config/index.js';
import { toKeyLimits } from '../routing/key-definitions.js';

const LISTS = ['runtimes', 'models', 'virtual_keys'];

/** A gateway.yaml as the audit log compares it. */
export function configFacts({ virtualKeys, ...config }: GatewayConfig): FileFacts {
  return toFileFacts({ ...config, virtualKeys: virtualKeys.map(keyFactsOf) }, LISTS);
}

function keyFactsOf({ id, limits, prefix, hash, ...rules }: VirtualKeyConfig): object {
  return { id, ...keyFacts({ ...rules, limits: toKeyLimits(limits) }), prefix, hash };
}
