import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openArtifact } from '../../artifact/index.js';
import type { Judges } from '../../server/index.js';
import { openTrusted, parseTrustedKeys } from '../../signing/index.js';

/** How production judges artifacts and the keys that sign them. */
export const judges: Judges = {
  parseKeys: parseTrustedKeys,
  async inspect(directory, trustedKeys, isWhole) {
    // By no key: nothing is remembered of a revision before the model is loaded.
    const policy = { requireSigned: false, trustedKeys: [], allowRollback: true };
    const opened = await openTrusted(directory, openArtifact, policy);
    await using source = opened.source;
    if (isWhole) await source.fill(nowhere(), {});
    const { id } = source.manifest;
    const { mtimeMs: changedMs } = await stat(join(directory, 'manifest.json'));
    const { signature } = opened;
    if (signature.state === 'unsigned') return { id, state: 'unsigned', keys: [], changedMs };
    const trusted = signature.keys.filter((key) => trustedKeys.includes(key));
    if (trusted.length > 0) return { id, state: 'trusted', keys: trusted, changedMs };
    return { id, state: 'unknown', keys: signature.keys, changedMs };
  },
};

/** No tensor is kept: the weights are only hashed. */
function nowhere(): [] {
  return [];
}
