import { createHash } from 'node:crypto';
import { withRetries } from '../http/retries.js';
import { invalidAnswer } from '../http/failures.js';
import { readAnswerBody } from '../http/read-body.js';
import { toRefusal } from '../http/refusals.js';
import type { Clock } from '../../base/index.js';
import type { AskOptions } from '../api/hub-api.js';
import { contentMismatch, type LinkOptions } from './file-link.js';

/** Most bytes of a file that is read into memory. */
const MAX_BYTES = 32 * 1024 * 1024;

/** A small file of a commit, with verified hash. Errors: those of a hub; `hub_content_mismatch`. */
export async function readSmallFile(
  { repo, commit, file, settings, transport }: LinkOptions,
  clock: Clock,
  { signal, onRetry }: AskOptions = {},
): Promise<Buffer> {
  const { endpoint, token } = settings;
  const path = file.path.split('/').map(encodeURIComponent).join('/');
  const url = new URL(`${endpoint}/${repo}/resolve/${commit}/${path}`);
  const read = async (): Promise<Buffer> => {
    const answer = await transport.send({ url, method: 'GET', signal, followsAway: true });
    if (answer.status !== 200) {
      await answer.body.return?.();
      throw toRefusal(answer, { repo, revision: commit, path: file.path }, { endpoint, hasToken: token !== undefined });
    }
    return readAnswerBody(answer, Math.min(MAX_BYTES, file.sizeBytes), (why) => invalidAnswer(answer.url.host, why));
  };
  const bytes = await withRetries(read, { clock, signal, onRetry });
  const { kind, hex } = file.hash;
  const sum = createHash(kind === 'sha256' ? 'sha256' : 'sha1');
  if (kind === 'git-blob') sum.update(`blob ${bytes.length}\0`);
  if (sum.update(bytes).digest('hex') !== hex) throw contentMismatch(file.path, 'its hash is another');
  return bytes;
}
