// Repositories for the hub of the tests, and pulls from it.
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHub, readHubSettings, type Hub } from '../../../src/hub/index.js';
import { pullModel, type Pulled, type PullEvent } from '../../../src/models/index.js';
import { openStore, parseModelId, type Store } from '../../../src/store/index.js';
import { contentOf, type Content, type Repository } from '../../support/hub/repository.js';
import { steppingClock } from '../../support/hub/stepping-clock.js';
import { startHub, type TestHub } from '../../support/hub/test-hub.js';

const vectors = join(process.cwd(), 'test/vectors/gguf');
const demo = join(process.cwd(), 'assets/demo');

/** A small GGUF model. */
export const llama = contentOf(readFileSync(join(vectors, 'llama-q4_0.gguf')));
/** Another. */
export const qwen2 = contentOf(readFileSync(join(vectors, 'qwen2-q8_0.gguf')));

/** The checkpoint of the demo model as a repository, with what no pull takes. */
export function demoRepository(id: string, more: Readonly<Record<string, Content>> = {}): Repository {
  const files = readdirSync(demo)
    .filter((name) => name !== 'SOURCE.md')
    .map((name) => [name, contentOf(readFileSync(join(demo, name)))] as const);
  const junk = ['pytorch_model.bin', 'original/consolidated.00.pth', 'modeling.py', 'README.md'].map(
    (name) => [name, contentOf(`never taken: ${name}`)] as const,
  );
  return { id, license: 'apache-2.0', files: new Map([...files, ...junk, ...Object.entries(more)]) };
}

/** A repository with GGUF files of these quants. */
export function ggufRepository(id: string, files: Readonly<Record<string, Content>>): Repository {
  return { id, license: 'mit', files: new Map([...Object.entries(files), ['README.md', contentOf('# GGUF')]]) };
}

/** A hub, a models directory, and pulls between them. */
export interface PullStage extends AsyncDisposable {
  readonly server: TestHub;
  readonly hub: Hub;
  readonly store: Store;
  readonly modelsDir: string;
  readonly events: PullEvent[];
  pull(id: string, options?: { readonly signal?: AbortSignal; readonly budgetBytes?: number }): Promise<Pulled>;
}

/** Sets one up. */
export async function pullStage(
  repositories: readonly Repository[],
  env: Record<string, string> = {},
): Promise<PullStage> {
  const server = await startHub(repositories);
  const modelsDir = await mkdtemp(join(tmpdir(), 'pull-'));
  const settings = await readHubSettings({ HF_ENDPOINT: server.url, HF_HUB_DISABLE_IMPLICIT_TOKEN: '1', ...env });
  const hub = openHub(settings, { clock: steppingClock() });
  const store = openStore(modelsDir);
  const events: PullEvent[] = [];
  return {
    server,
    hub,
    store,
    modelsDir,
    events,
    pull(id, { signal = new AbortController().signal, budgetBytes = 2 ** 33 } = {}) {
      const asked = parseModelId(id);
      if (asked?.repo === undefined) throw new Error(`${id} is no id`);
      return pullModel(
        { ...asked, repo: asked.repo },
        { hub, store, budgetBytes, signal, onEvent: (event) => events.push(event) },
      );
    },
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await rm(modelsDir, { recursive: true, force: true });
    },
  };
}
