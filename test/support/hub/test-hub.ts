/**
 * A hub of models over real HTTP: its API and, on another origin, the storage that it redirects to. What it answers is what
 * huggingface.co was seen to answer (https://huggingface.co/docs/hub/api); `@huggingface/hub` downloads from it in a test.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FaultPlan } from './faults.js';
import { answerApi } from './answer-api.js';
import { answerStorage, resolveFile } from './answer-files.js';
import type { Repository } from './repository.js';

/** A request that came, for assertions. */
export interface SeenRequest {
  readonly server: 'hub' | 'storage';
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

/** A hub whose behaviour tests change while it runs. */
export interface TestHub extends AsyncDisposable {
  readonly url: string;
  readonly storageUrl: string;
  readonly repositories: Map<string, Repository>;
  readonly seen: SeenRequest[];
  /** Bytes of bodies of files that were handed to the system, by path. */
  readonly sentBytes: Map<string, number>;
  /** The token that opens gated and private repositories. */
  readonly token: string;
  plan: FaultPlan;
  /** Answers to requests of the API instead of its own. */
  api: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Items on a page of a tree or a search. */
  pageItems: number;
  /** Links to the storage are good until this is raised. */
  linkEpoch: number;
  /** What is behind the entity tags of the storage: another is another version of the file. */
  etagSuffix: string;
  /** Whether the storage tells the digest of what it sends, as RFC 9530 has it. */
  sendsDigests: boolean;
  /** Where links to the storage lead: its own origin, or one that is hostile. */
  linkOrigin: string;
  /** All requests for bytes of files so far. */
  fileRequests: number;
  add(repository: Repository): Repository;
}

/** Starts a hub on free ports of the loopback address. */
export async function startHub(repositories: readonly Repository[] = []): Promise<TestHub> {
  const storage = createServer((request, response) => {
    note('storage', request);
    void answerStorage(hub, request, response);
  });
  const main = createServer((request, response) => {
    note('hub', request);
    if (hub.api(request, response)) return;
    if (request.url?.startsWith('/api/')) answerApi(hub, request, response);
    else void resolveFile(hub, request, response);
  });
  const [url, storageUrl] = [`http://127.0.0.1:${await listen(main)}`, `http://localhost:${await listen(storage)}`];
  const hub: TestHub = {
    url,
    storageUrl,
    repositories: new Map(),
    seen: [],
    sentBytes: new Map(),
    token: 'hf_testtoken0123456789',
    plan: () => undefined,
    api: () => false,
    pageItems: 1_000,
    linkEpoch: 0,
    etagSuffix: '',
    sendsDigests: false,
    linkOrigin: storageUrl,
    fileRequests: 0,
    add(repository) {
      hub.repositories.set(repository.id, repository);
      return repository;
    },
    async [Symbol.asyncDispose]() {
      for (const server of [main, storage]) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
    },
  };
  const note = (server: SeenRequest['server'], { method = '', url: target = '', headers }: IncomingMessage): void => {
    const { authorization, range } = headers;
    const ifRange = headers['if-range']?.toString();
    hub.seen.push({ server, method, url: target, authorization, range, ifRange });
  };
  for (const repository of repositories) hub.add(repository);
  return hub;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
