import type { UsedSource } from '../ledger/ledger.js';
import type { WriteCommitter } from './committer.js';
import type { UsageSums } from './usage-sums.js';

/** The usage that the ledger reads. Waiting writes are committed first: nothing that was settled is missed. */
export function createUsedSource(sums: UsageSums, committer: WriteCommitter): UsedSource {
  return {
    all(day) {
      committer.flush();
      return sums.isComplete() ? sums.used(day) : undefined;
    },
    of(keyId, day) {
      committer.flush();
      return sums.usedBy(keyId, day);
    },
  };
}
