import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';

/** The text of a small file; undefined when it does not exist. */
type ReadText = (path: string) => string | undefined;

const MOUNT = '/sys/fs/cgroup';

/**
 * Cores that this process may keep busy: those of its affinity, or those of its container's quota; at least one. Node
 * 20 ignores quotas (libuv reads them from 1.49 on). A thread group with more threads than cores waits for threads that
 * do not run.
 */
export function usableCores(): number {
  return Math.max(1, Math.floor(Math.min(availableParallelism(), cpuQuota(readText))));
}

/**
 * Cores of the smallest quota around this process; Infinity without one. Source: Linux, cgroup-v2 (`cpu.max`) and
 * sched-bwc (`cpu.cfs_quota_us`).
 */
export function cpuQuota(read: ReadText): number {
  const quotas = (read('/proc/self/cgroup') ?? '').split('\n').flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (path === undefined) return [];
    if (controllers === '') return upwards(path).map((group) => quotaOf(read(join(MOUNT, group, 'cpu.max'))));
    if (controllers?.split(',').includes('cpu') !== true) return [];
    return upwards(path).map((group) => {
      const [quota, period] = ['cpu.cfs_quota_us', 'cpu.cfs_period_us'].map((name) =>
        read(join(MOUNT, 'cpu', group, name)),
      );
      return quotaOf(`${quota ?? ''} ${period ?? ''}`);
    });
  });
  return Math.min(...quotas);
}

/** A group and its parents, which limit it too. */
function upwards(path: string): string[] {
  return path === '/' ? [path] : [path, ...upwards(dirname(path))];
}

/** "quota period" in microseconds → cores; Infinity without a quota ("max", −1) or a file. */
function quotaOf(text = ''): number {
  const [quota, period] = text.trim().split(/\s+/).map(Number);
  const cores = (quota ?? NaN) / (period ?? NaN);
  return cores > 0 ? cores : Infinity;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
