// Downloads from the hub of the tests.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHub, readHubSettings, type Hub } from '../../src/hub/index.js';
import { commitOf, contentOf, type Content, type Repository } from '../support/hub/repository.js';
import { steppingClock } from '../support/hub/stepping-clock.js';
import { startHub, type TestHub } from '../support/hub/test-hub.js';

/** The file that is downloaded: it is one of LFS. */
export const FILE = 'model.gguf';

/** A hub with one file, and a place for it. */
export interface Stage extends AsyncDisposable {
  readonly server: TestHub;
  readonly hub: Hub;
  readonly content: Content;
  readonly repository: Repository;
  readonly path: string;
  /** Downloads the file and collects its events. */
  download(options?: DownloadChoices): Promise<Outcome>;
}

/** How a download is watched and ended; `path`: elsewhere than at the place of the stage. */
export interface DownloadChoices {
  readonly signal?: AbortSignal;
  readonly onBytes?: (bytes: number) => void;
  readonly path?: string;
}

/** What became of a download that went well. */
export interface Outcome {
  readonly fetchedBytes: number;
  readonly retries: readonly string[];
  readonly notes: readonly string[];
}

/** Sets one up; `idleMs` is of the machine's clock, other waits end at once. */
export async function stage(sizeBytes: number, { idleMs = 30_000, path = FILE } = {}): Promise<Stage> {
  const content = contentOf(randomBytes(sizeBytes));
  const repository: Repository = { id: 'org/model', files: new Map([[path, content]]) };
  const server = await startHub([repository]);
  const directory = await mkdtemp(join(tmpdir(), 'download-'));
  const settings = await readHubSettings({ HF_ENDPOINT: server.url, HF_HUB_DISABLE_IMPLICIT_TOKEN: '1' });
  const hub = openHub(settings, { clock: steppingClock(), idleMs });
  const target = join(directory, 'file');
  return {
    server,
    hub,
    content,
    repository,
    path: target,
    async download({ signal = new AbortController().signal, onBytes, path: place = target } = {}) {
      const commit = commitOf(repository);
      const [file] = await hub.listFiles('org/model', commit);
      if (file === undefined) throw new Error('the hub has no file');
      const [retries, notes]: [string[], string[]] = [[], []];
      const download = await hub.fetchFile({
        repo: 'org/model',
        commit,
        file,
        path: place,
        signal,
        onBytes,
        onRetry: ({ reason }) => retries.push(reason),
        onNote: (note) => notes.push(note),
      });
      await download.done;
      return { fetchedBytes: download.fetchedBytes, retries, notes };
    },
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

/** Whether the bytes at the place are those of the hub. */
export function isRight({ path, content }: Stage): boolean {
  return contentOf(readFileSync(path)).sha256 === content.sha256;
}
