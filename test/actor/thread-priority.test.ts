import { getPriority } from 'node:os';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { letActorsGiveWay } from '../../src/base/index.js';
import { bee, tree } from './tree.js';

/** The `nice` of each thread of this process, by its id. Source: proc(5), field 19 of stat. */
function niceOfThreads(): Map<string, number> {
  const niceOf = (id: string): number => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  };
  return new Map(readdirSync('/proc/self/task').map((id) => [id, niceOf(id)]));
}

describe.runIf(process.platform === 'linux')('the thread of an actor', () => {
  it('gives way to the thread that it works for where that was asked for, and leaves its priority alone', async () => {
    const own = getPriority();
    const before = niceOfThreads();
    const niceOfNew = async (): Promise<number[]> => {
      const { supervisor } = await tree([bee({ placement: 'thread' })]);
      const made = [...niceOfThreads()].filter(([id]) => !before.has(id));
      await supervisor.stop();
      return made.map(([, nice]) => nice);
    };
    expect(new Set(await niceOfNew())).toEqual(new Set([own]));
    letActorsGiveWay();
    expect(await niceOfNew()).toContain(Math.min(19, own + 5));
    expect(getPriority()).toBe(own);
  });
});
