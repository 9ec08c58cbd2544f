// One client in a process of its own: `fetch-once.js <client> <directory>`. Prints its seconds, processor seconds and memory.
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openHub, readHubSettings } from '../../src/hub/index.js';
import { pullModel } from '../../src/models/index.js';
import { openStore } from '../../src/store/index.js';

const FILE = 'large.Q8_0.gguf';
const [, , client = '', directory = ''] = process.argv;

/** The clients by name. */
const clients: Readonly<Record<string, () => Promise<void>>> = {
  async download() {
    await using hub = openHub(await readHubSettings());
    const { commit } = await hub.describe('org/large', undefined);
    const [file] = await hub.listFiles('org/large', commit);
    if (file === undefined) throw new Error('the hub has no file');
    const { signal } = new AbortController();
    const { done } = await hub.fetchFile({ repo: 'org/large', commit, file, path: join(directory, FILE), signal });
    await done;
  },
  async pull() {
    await using hub = openHub(await readHubSettings());
    const { signal } = new AbortController();
    const store = openStore(directory);
    const asked = { repo: 'org/large', quant: undefined, revision: undefined };
    await pullModel(asked, { hub, store, budgetBytes: 2 ** 40, signal });
  },
  async '@huggingface/hub'() {
    const { downloadFile } = await import('@huggingface/hub');
    const hubUrl = process.env['HF_ENDPOINT'] ?? '';
    const blob = await downloadFile({ repo: 'org/large', path: FILE, hubUrl });
    if (blob === null) throw new Error('the hub has no file');
    await pipeline(Readable.fromWeb(blob.stream() as never), createWriteStream(join(directory, FILE)));
  },
};

const startMs = performance.now();
await clients[client]?.();
const { user, system } = process.cpuUsage();
const seconds = (performance.now() - startMs) / 1_000;
const line = { client, seconds, cpuSeconds: (user + system) / 1e6, maxRssMb: process.resourceUsage().maxRSS / 1024 };
process.stdout.write(`${JSON.stringify(line)}\n`);
process.exit(0);
