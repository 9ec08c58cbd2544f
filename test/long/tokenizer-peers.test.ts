import { describe, expect, it } from 'vitest';
import { compare, installPeers, vocabularies } from '../../bench/peers/tokenizers/compare.js';

const peers = await installPeers(process.cwd());
const reason = 'reason' in peers ? `: skipped, ${peers.reason}` : '';

describe.skipIf('reason' in peers)(`published vocabularies beside the Rust tokenizers${reason}`, () => {
  it.each(vocabularies)(
    '%s: ids of 6,000 texts are equal, and 500 KB take at most two thirds of the time',
    async (vocabulary) => {
      const line = await compare(process.cwd(), 'modules' in peers ? peers.modules : '', vocabulary, 6000);
      expect(line.firstDifference).toBeNull();
      expect(line.different).toBe(0);
      expect(line.ratio).toBeGreaterThan(1.5);
      expect(line.openMs).toBeLessThan(200);
    },
    300_000,
  );
});
