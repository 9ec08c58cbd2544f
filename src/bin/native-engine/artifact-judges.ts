import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openArtifact } from '../../artifact/index.js';
import { AppError, describe } from '../../base/index.js';
import type { ArtifactReport, Judges } from '../../server/index.js';

/** How production judges artifacts and the keys that sign them. */
export const judges: Judges = {
  async parseKeys(keys, field) {
    const wrong = keys.find((key) => !/^[0-9a-f]{64}$/i.test(key));
    if (wrong === undefined) return keys.map((key) => key.toLowerCase());
    const message = `${field} is ${describe(wrong)}; it must be the 64 hexadecimal digits of an Ed25519 public key`;
    throw new AppError('invalid_value', message, { field });
  },
  async inspect(directory): Promise<ArtifactReport> {
    await using artifact = await openArtifact(directory);
    const { mtimeMs } = await stat(join(directory, 'manifest.json'));
    return { id: artifact.manifest.id, state: 'unsigned', keys: [], changedMs: mtimeMs };
  },
};
