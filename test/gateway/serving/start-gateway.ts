// A gateway of this process on a file of its own, for suites to talk to.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { present, systemClock, type LogEntry } from '../../../src/base/index.js';
import { codeTables } from '../../repo/code-tables.js';
import { createGateway, type Gateway, type GatewaySetup } from '../../../src/gateway/index.js';
import { createKeySecret, type Meter } from '../../../src/metering/index.js';
import { uwsDirectory } from '../../http/over-transports.js';
import { ask, type Received } from '../../relay/raw-upstream.js';

/** gateway.yaml as JSON, which is YAML too. What is absent is as in `startGateway`. */
export type FileParts = Readonly<Record<string, unknown>>;

/** How long a test waits for what comes within moments on a machine that does nothing else. */
export const SOON = { timeout: 30_000, interval: 10 };

/** A gateway at work, and what it said. */
export interface StartedGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly port: number;
  readonly url: string;
  readonly path: string;
  readonly dataDir: string;
  /** Its events. */
  readonly events: readonly LogEntry[];
  /** The lines of its log of requests, parsed. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  readonly meter: Meter;
  /** Writes the file anew, with `parts` changed, and has it looked at. */
  rewrite(parts: FileParts): Promise<void>;
}

/** A key as a file has it, and its secret. */
export interface TestKey {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly secret: string;
  /** The header that brings it. */
  readonly headers: { readonly authorization: string };
}

/** A key that may use all models, with what `parts` say otherwise. */
export function makeKey(id = 'vk_a', parts: FileParts = {}): TestKey {
  const { secret, prefix, hash } = createKeySecret('gwk');
  const entry = { id, name: id, prefix, hash, models: null, limits: {}, ...parts };
  return { entry, secret, headers: { authorization: `Bearer ${secret}` } };
}

/** A runtime as a file has it. */
export function runtimeAt(url: string, parts: FileParts = {}): FileParts {
  return { id: 'r', kind: 'openai-compatible', base_url: url, ...parts };
}

/** A model as a file has it: `demo`, which runtime `r` calls `up`. */
export function modelOf(parts: FileParts = {}): FileParts {
  return { id: 'demo', targets: [{ runtime: 'r', model: 'up' }], ...parts };
}

/** A new directory, in memory where the system has such: a SQLite without its own log waits for the disk at each commit. */
export function makeHome(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'gateway-'));
}

/** Starts one on a free port, with model `demo` on what `parts` have as runtimes. */
export async function startGateway(
  parts: FileParts,
  setup: Partial<GatewaySetup> = {},
  directory?: string,
): Promise<StartedGateway> {
  const home = directory ?? makeHome();
  const path = join(home, 'gateway.yaml');
  const common = { gateway_id: 'gw_test', listen: '127.0.0.1:0', data_dir: './data', models: [modelOf()] };
  let file: FileParts = { ...common, ...parts };
  writeFileSync(path, JSON.stringify(file), { mode: 0o600 });
  const events: LogEntry[] = [];
  const lines: Record<string, unknown>[] = [];
  const gateway = await createGateway(path, {
    build: '0.0.0',
    codes: codeTables,
    transport: 'node',
    uwsDirectory,
    readSecret: async (source) => `secret of ${JSON.stringify(source)}`,
    logLine: (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
    log: (entry) => void events.push(entry),
    clock: systemClock,
    now: Date.now,
    ...setup,
  });
  return {
    gateway,
    port: gateway.port,
    url: `http://127.0.0.1:${gateway.port}`,
    path,
    dataDir: join(home, 'data'),
    events,
    lines,
    get meter() {
      return present(gateway.meter, 'the gateway runs');
    },
    async rewrite(changed) {
      file = { ...file, ...changed };
      writeFileSync(path, JSON.stringify(file));
      await gateway.reload();
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      if (directory === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}

/** A body for model `demo`. */
export function chatBody(parts: FileParts = {}): string {
  return JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hi' }], ...parts });
}

/** Sends a chat. */
export function chat({ port }: StartedGateway, key: TestKey, parts: FileParts = {}): Promise<Received> {
  return ask(port, 'POST', '/v1/chat/completions', chatBody(parts), undefined, key.headers);
}

/** The value of a header. */
export function headerOf({ fields }: Received, name: string): string | undefined {
  return fields.find(([key]) => key.toLowerCase() === name)?.[1];
}

/** The error in a body, in OpenAI's form. */
export function errorOf({ body }: Received): Readonly<Record<string, unknown>> {
  return (JSON.parse(body.toString()) as { error: Record<string, unknown> }).error;
}
