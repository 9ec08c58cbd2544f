import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { locate } from '../../src/base/index.js';

/** MB that new objects have after many of them lived for a while, in a process of its own: the setting is one of the process. */
function newSpaceMb(first: string): number {
  const program = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { keepYoungHeapSmall } from ${JSON.stringify(locate('dist/src/base/index.js').href)};
    ${first}
    let kept = [];
    for (let i = 0; i < 2_000_000; i++) {
      kept.push({ i });
      if (kept.length > 20_000) kept = [];
    }
    console.log(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 1e6);`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }));
}

describe('the space of new objects', () => {
  it('stays small where it is kept so', () => {
    expect(newSpaceMb('keepYoungHeapSmall();')).toBeLessThan(5);
    expect(newSpaceMb('')).toBeGreaterThan(8);
  });
});
