// The program of a process that downloads the first file of org/model to the path that it is given, and may be killed.
import { openHub, readHubSettings } from '../../src/hub/index.js';

const [, , path = ''] = process.argv;
try {
  await using hub = openHub(await readHubSettings());
  const { commit } = await hub.describe('org/model', undefined);
  const [file] = await hub.listFiles('org/model', commit);
  if (file === undefined) throw new Error('the hub has no file');
  const { signal } = new AbortController();
  const download = await hub.fetchFile({ repo: 'org/model', commit, file, path, signal });
  await download.done;
} catch (error) {
  process.stderr.write(`${JSON.stringify(error)} ${String(error)}\n`);
  process.exit(1);
}
