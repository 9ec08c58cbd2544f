import { describe, expect, it } from 'vitest';
import { stores } from '../../src/metering/index.js';
import { runCrashRound, type CrashRound } from './crash-round.js';

const available = stores.filter((kind) => kind.isAvailable());
/** The long suite has hundreds. */
const ROUNDS = 12 / available.length;

describe.each(available)('a process that is killed, with $name', (store) => {
  it('loses nothing that it acknowledged, leaves no reservation, and both databases sound', async () => {
    const rounds: CrashRound[] = [];
    for (let i = 0; i < ROUNDS; i++) rounds.push(await runCrashRound(store, 1 + ((i * 59) % 130)));
    const sum = (name: 'acknowledged' | 'settled' | 'voided'): number =>
      rounds.reduce((total, one) => total + one[name], 0);
    // The rounds had something to lose.
    expect(sum('acknowledged')).toBeGreaterThan(100);
    expect(sum('settled')).toBeGreaterThan(0);
    expect(sum('voided')).toBeGreaterThan(0);
  });
});
