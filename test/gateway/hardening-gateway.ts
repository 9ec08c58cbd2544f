// A gateway on a temporary gateway.yaml, in this process or in one of its own, for the suites of hardening.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock, type LogEntry } from '../../src/base/index.js';
import { codeTables } from '../repo/code-tables.js';
import { createGateway, type Gateway, type GatewaySetup } from '../../src/gateway/index.js';
import { createKeySecret, type KeySecret } from '../../src/metering/index.js';
import { uwsDirectory } from '../http/over-transports.js';
import { startProductProcess, type ProductProcess } from '../support/product-process.js';

/** What a gateway.yaml of a test has. */
export interface HardFile {
  /** Base URLs by the id of their runtime; each serves one model by that id. */
  readonly upstreams: Readonly<Record<string, string>>;
  /** Limits of the one key, as the file writes them. */
  readonly keyLimits?: string;
  /** Limits of the server, as the file writes them. */
  readonly limits?: string;
  readonly passthrough?: readonly string[];
  /** Of a runtime, after its base URL. */
  readonly runtimeFields?: string;
  readonly dataDir?: string;
  readonly kind?: string;
}

/** A gateway.yaml in a folder of its own. */
export interface WrittenFile extends Disposable {
  readonly directory: string;
  readonly path: string;
  readonly dataDir: string;
  readonly key: KeySecret;
}

/** Writes one whose gateway listens on any free port. */
export function writeFile(file: HardFile): WrittenFile {
  const directory = mkdtempSync(join(tmpdir(), 'troupe-hard-'));
  const { upstreams, keyLimits = '{}', limits = '{}', passthrough = [], runtimeFields = '', kind } = file;
  const dataDir = file.dataDir ?? join(directory, 'data');
  const key = createKeySecret('gwk');
  const names = Object.entries(upstreams);
  const lines = [
    'gateway_id: gw_hard',
    'listen: 127.0.0.1:0',
    `data_dir: ${JSON.stringify(dataDir)}`,
    'runtimes:',
    ...names.map(
      ([id, url]) =>
        `  - { id: ${id}, kind: ${kind ?? 'openai-compatible'}, base_url: ${JSON.stringify(url)}${runtimeFields} }`,
    ),
    'models:',
    ...names.map(([id]) => `  - { id: ${id}, targets: [{ runtime: ${id}, model: ${id} }] }`),
    'virtual_keys:',
    `  - { id: vk_hard, name: hard, prefix: ${key.prefix}, hash: ${key.hash}, models: null, limits: ${keyLimits} }`,
    `passthrough: ${JSON.stringify(passthrough)}`,
    `limits: ${limits}`,
    '',
  ];
  const path = join(directory, 'gateway.yaml');
  writeFileSync(path, lines.join('\n'), { mode: 0o600 });
  return {
    directory,
    path,
    dataDir,
    key,
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** A gateway in this process. */
export interface HardGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly port: number;
  readonly key: string;
  readonly file: WrittenFile;
  /** Lines of the request log. */
  readonly lines: readonly string[];
  /** What the gateway said besides. */
  readonly events: readonly LogEntry[];
}

/** How it is started. */
export interface HardOptions {
  readonly clock?: Clock;
  readonly now?: () => number;
  readonly transport?: 'node' | 'uws';
  readonly setup?: Partial<GatewaySetup>;
}

/** Starts one. */
export async function startGateway(file: HardFile, options: HardOptions = {}): Promise<HardGateway> {
  const written = writeFile(file);
  const { clock = systemClock, now = Date.now, transport = 'node', setup } = options;
  const lines: string[] = [];
  const events: LogEntry[] = [];
  const gateway = await createGateway(written.path, {
    build: '0',
    codes: codeTables,
    transport,
    uwsDirectory,
    readSecret: async () => 'runtime-credential',
    logLine: (line) => lines.push(line),
    log: (entry) => events.push(entry),
    clock,
    now,
    ...setup,
  });
  return {
    gateway,
    port: gateway.port,
    key: written.key.secret,
    file: written,
    lines,
    events,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      written[Symbol.dispose]();
    },
  };
}

/** The headers of a request with a key. */
export function keyHeaders(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
}

/** A chat of one message. */
export function chatBody(model: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }], ...more });
}

/** Sends a chat. */
export function chat(
  { port, key }: { readonly port: number; readonly key: string },
  model: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: keyHeaders(key),
    body: chatBody(model, more),
  });
}

/** The code of an error body. */
export async function codeOfAnswer(response: Response): Promise<string> {
  const body = (await response.json()) as { error?: { code?: string } };
  return body.error?.code ?? '';
}

/** A gateway in a process of its own. */
export interface GatewayProcess extends ProductProcess {
  readonly key: string;
  readonly file: WrittenFile;
  /** Its resident memory after a collection, bytes. */
  rssBytes(): Promise<number>;
  /** What Node would write of a crash. */
  report(): Promise<string>;
}

/** The program of such a process. */
const PROGRAM = join(process.cwd(), 'dist/test/gateway/fixtures/hardening-process.js');

/** Starts one. `nodeArguments`: of node itself. */
export async function startProcess(
  file: HardFile,
  nodeArguments: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<GatewayProcess> {
  const written = writeFile(file);
  const started = await startProductProcess(PROGRAM, [written.path], { nodeArguments, env });
  return {
    ...started,
    key: written.key.secret,
    file: written,
    rssBytes: async () => (await started.ask<{ readonly rss: number }>('rss')).rss,
    report: async () => (await started.ask<{ readonly report: string }>('report')).report,
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]();
      written[Symbol.dispose]();
    },
  };
}
