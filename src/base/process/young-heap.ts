import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the space of new objects at what it is: 1 MiB where the process has just begun. V8 would let it grow to 16 MiB in each
 * thread, and with thousands of requests under way each collection of that is a pause of up to 35 ms; of this it is up to 10.
 * All collections together take 0.05 to 0.1 s more of 4.7 s (bench/LOG.md, 2026-11-27). Threads that start later have it too.
 */
export function keepYoungHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
