// node dist/bench/machine/memory-contestant.js <threads>: the memory as a contestant. Its rate is GB/s, read by one thread or
// by all, whichever gets more: what a decoding engine could read at most in the same minute.

import { setKernelFlags } from '../../src/compute/devices/cpu/index.js';
import { serveTasks } from '../contest/serve-tasks.js';
import { compileScalarModule } from './scalar-module.js';
import { startThreadGroup } from './thread-group.js';

const READ_BYTES = 2 ** 28;
const WINDOW_MS = 250;

setKernelFlags();
const scalar = await compileScalarModule();
const task = { kind: 'read', bytes: READ_BYTES } as const;
await using alone = await startThreadGroup(task, 1, WINDOW_MS, scalar);
await using together = await startThreadGroup(task, Number(process.argv[2] ?? 2), WINDOW_MS, scalar);
await serveTasks({ node: process.version }, async () => {
  const turns = Math.max(await alone.measure(), await together.measure());
  return (turns * READ_BYTES) / 1e9;
});
