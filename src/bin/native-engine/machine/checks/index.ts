import type { CheckGroup } from '../check.js';
import { cpu } from './cpu.js';
import { disk } from './disk.js';
import { environment } from './environment.js';
import { gpu } from './gpu.js';
import { kernels } from './kernels.js';
import { memory } from './memory.js';
import { network } from './network.js';
import { node } from './node.js';
import { storeHealth } from './store-health.js';

/** What `doctor` looks at, in order. */
export const checks = {
  cpu,
  memory,
  node,
  kernels,
  gpu,
  disk,
  storeHealth,
  network,
  environment,
} as const satisfies Record<string, CheckGroup>;
