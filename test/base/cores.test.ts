import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { cpuQuota, usableCores } from '../../src/base/cores.js';

const SELF = '/proc/self/cgroup';

/** Files as Linux shows them. */
function reader(files: Readonly<Record<string, string>>): (path: string) => string | undefined {
  return (path) => files[path];
}

describe('cpuQuota', () => {
  it.each([
    ['no control groups', {}, Infinity],
    ['version 2 without a quota', { [SELF]: '0::/\n', '/sys/fs/cgroup/cpu.max': 'max 100000\n' }, Infinity],
    ['version 2, the root of a container', { [SELF]: '0::/\n', '/sys/fs/cgroup/cpu.max': '150000 100000\n' }, 1.5],
    [
      'version 2, the least of a group and those around it',
      {
        [SELF]: '0::/kubepods/pod1/main\n',
        '/sys/fs/cgroup/kubepods/pod1/main/cpu.max': 'max 100000\n',
        '/sys/fs/cgroup/kubepods/pod1/cpu.max': '200000 100000\n',
        '/sys/fs/cgroup/kubepods/cpu.max': '600000 100000\n',
      },
      2,
    ],
    [
      'version 1',
      {
        [SELF]: '9:memory:/docker/a\n4:cpu,cpuacct:/docker/a\n3:cpuset:/\n',
        '/sys/fs/cgroup/cpu/docker/a/cpu.cfs_quota_us': '-1\n',
        '/sys/fs/cgroup/cpu/docker/a/cpu.cfs_period_us': '100000\n',
        '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '50000\n',
        '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      },
      0.5,
    ],
    ['files that say nothing', { [SELF]: 'what\n0::\n1:cpu:/\n0::/\n', '/sys/fs/cgroup/cpu.max': '\n' }, Infinity],
    ['a period of nothing', { [SELF]: '0::/\n', '/sys/fs/cgroup/cpu.max': '100000 0\n' }, Infinity],
  ])('%s', (_, files, cores) => {
    expect(cpuQuota(reader(files))).toBe(cores);
  });
});

describe('usableCores', () => {
  it('is a whole number from 1 to the cores that the process may run on', () => {
    const cores = usableCores();
    expect(Number.isInteger(cores)).toBe(true);
    expect(cores).toBeGreaterThanOrEqual(1);
    expect(cores).toBeLessThanOrEqual(availableParallelism());
  });
});
