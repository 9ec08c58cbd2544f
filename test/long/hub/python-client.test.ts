// The hub of the tests is one for huggingface_hub of PyPI too, which is installed into an environment of its own.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { demoRepository } from '../../models/pull/support.js';
import { commitOf, contentOf } from '../../support/hub/repository.js';
import { startHub } from '../../support/hub/test-hub.js';

const run = promisify(execFile);
const home = await mkdtemp(join(tmpdir(), 'hub-python-'));
afterAll(() => rm(home, { recursive: true, force: true }));
const whyNoPython = await run('python3', ['-m', 'venv', home])
  .then(() => run(join(home, 'bin/pip'), ['install', '--quiet', 'huggingface_hub']))
  .then(
    () => undefined,
    (error: unknown) => String(error),
  );
if (whyNoPython !== undefined) process.stderr.write(`huggingface_hub is not tried: ${whyNoPython}\n`);

const SNAPSHOT = `
import sys
from huggingface_hub import snapshot_download, HfApi
from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError
print(HfApi().model_info('org/demo-chat').sha)
print(snapshot_download('org/demo-chat', local_dir=sys.argv[1]))
for repo, revision, kind in (('org/none', None, RepositoryNotFoundError), ('org/demo-chat', 'v9', RevisionNotFoundError)):
    try:
        HfApi().model_info(repo, revision=revision)
        raise SystemExit(f'{repo} was found')
    except kind:
        print(kind.__name__)
`;

describe.skipIf(whyNoPython !== undefined)('huggingface_hub', () => {
  it('downloads from the hub of the tests, and understands its refusals', async () => {
    const repository = demoRepository('org/demo-chat');
    await using hub = await startHub([repository]);
    const env = { ...process.env, HF_ENDPOINT: hub.url, HF_HOME: home, HF_HUB_DISABLE_XET: '1', HF_HUB_OFFLINE: '0' };
    const target = join(home, 'snapshot');
    const { stdout } = await run(join(home, 'bin/python3'), ['-c', SNAPSHOT, target], { env });
    const [sha, , ...refusals] = stdout.trim().split('\n');
    expect(sha).toBe(commitOf(repository));
    expect(refusals).toEqual(['RepositoryNotFoundError', 'RevisionNotFoundError']);
    for (const [path, { sha256 }] of repository.files) {
      expect(contentOf(readFileSync(join(target, path))).sha256, path).toBe(sha256);
    }
  });
});
