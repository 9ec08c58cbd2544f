// A server of this process over a real socket, with the demo model, for suites to talk to.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openModelHost, type ModelHost } from '../../src/models/index.js';
import { type EngineOptions } from '../../src/embedding/index.js';
import { createServer, type Server, type ServerOptions } from '../../src/server/index.js';
import { codeTables } from '../../src/bin/native-engine/codes.js';
import { uwsDirectory } from '../http/over-transports.js';

/** A server, what it logs, and what is behind it. */
export interface Serving extends AsyncDisposable {
  readonly url: string;
  readonly server: Server;
  readonly host: ModelHost;
  readonly modelsDir: string;
  readonly cacheDir: string;
  /** Lines of its log, parsed. */
  readonly log: Record<string, unknown>[];
  /** Sends JSON, or a body as it is. */
  post(path: string, body: unknown, init?: RequestInit): Promise<Response>;
}

/** Starts one on a free port. One compute thread: two would wait for each other on a busy machine, for the same answers. */
export async function startServing(
  engine: EngineOptions = {},
  options: Partial<Pick<ServerOptions, 'streams' | 'limits' | 'transport' | 'port'>> & {
    /** Settings of the hub that missing models are pulled from; without them nothing is pulled. */
    readonly hub?: Readonly<Record<string, string>>;
  } = {},
): Promise<Serving> {
  const modelsDir = mkdtempSync(join(tmpdir(), 'serving-'));
  const log: Record<string, unknown>[] = [];
  const cacheDir = mkdtempSync(join(tmpdir(), 'serving-cache-'));
  const { hub, ...rest } = options;
  const pull = hub !== undefined;
  const host = await openModelHost({ threads: 1, modelsDir, cacheDir, pull, ...engine }, hub);
  const server = await createServer({
    host: '127.0.0.1',
    port: 0,
    transport: 'node',
    uwsDirectory,
    engine: host,
    build: '0.0.0',
    codes: codeTables,
    log: (line) => log.push(JSON.parse(line) as Record<string, unknown>),
    ...rest,
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    server,
    host,
    modelsDir,
    cacheDir,
    log,
    post: (path, body, init) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
        ...init,
      }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
      for (const path of [modelsDir, cacheDir]) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** The data of each event of a stream, in order; comments are left out. */
export async function readEvents(response: Response): Promise<string[]> {
  const text = await response.text();
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length));
}

/** The events of a good stream, parsed, without the last one, which is `[DONE]`. */
export async function readChunks<T>(response: Response): Promise<T[]> {
  const events = await readEvents(response);
  if (events.pop() !== '[DONE]') throw new Error('the stream does not end with [DONE]');
  return events.map((event) => JSON.parse(event) as T);
}

/** The events of a stream that have names, in order; comments and pings are left out. */
export function sseData(text: string): { readonly name: string; readonly data: string }[] {
  return text.split('\n\n').flatMap((event) => {
    const { name, data } = /^event: (?<name>.+)\ndata: (?<data>.+)$/.exec(event)?.groups ?? {};
    return name === undefined || data === undefined || name === 'ping' ? [] : [{ name, data }];
  });
}
