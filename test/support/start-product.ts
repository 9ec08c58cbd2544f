// A product of this process on a configuration file of its own, for suites to talk to: what the gateway and the hosted API
// have in common. start-gateway.ts and start-hosted.ts add what each has alone.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock, type CodeTable, type LogEntry } from '../../src/base/index.js';
import { uwsDirectory } from '../http/over-transports.js';
import type { Received } from '../relay/raw-upstream.js';
import { codeTables } from '../repo/code-tables.js';

/** A configuration file as JSON, which is YAML too. */
export type FileParts = Readonly<Record<string, unknown>>;

/** How long a test waits for an event that comes within moments on a quiet machine. */
export const SOON = { timeout: 120_000, interval: 10 };

/** What every product is started with. */
export interface CommonSetup {
  readonly build: string;
  readonly codes: Readonly<Record<string, CodeTable>>;
  readonly uwsDirectory: string;
  readonly logLine: (line: string) => void;
  readonly log: (entry: LogEntry) => void;
  readonly clock: Clock;
  readonly now: () => number;
}

/** A product as this harness sees it. */
interface AnyProduct extends AsyncDisposable {
  readonly port: number;
  reload(): Promise<unknown>;
}

/** A kind of product. */
export interface ProductKind<Product extends AnyProduct> {
  /** The name of its file. */
  readonly fileName: string;
  /** The file where a test says nothing else. */
  readonly file: FileParts;
  readonly create: (path: string, setup: CommonSetup) => Promise<Product>;
}

/** A product at work, and what it said. */
export interface StartedProduct<Product> extends AsyncDisposable {
  readonly product: Product;
  readonly port: number;
  readonly url: string;
  readonly home: string;
  /** Its file. */
  readonly path: string;
  readonly dataDir: string;
  readonly events: readonly LogEntry[];
  /** The lines of its log of requests, parsed. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** Writes the file anew, with `parts` changed, and has it looked at. */
  rewrite(parts: FileParts): Promise<void>;
}

/** A new directory, in memory where the system has such: a SQLite without its own log waits for the disk at each commit. */
export function makeHome(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'product-'));
}

/** Starts one. `directory` stays; absent: its home is new, and goes with it. */
export async function startProduct<Product extends AnyProduct>(
  { fileName, file: common, create }: ProductKind<Product>,
  parts: FileParts,
  directory?: string,
): Promise<StartedProduct<Product>> {
  const home = directory ?? makeHome();
  const path = join(home, fileName);
  let file: FileParts = { data_dir: './data', ...common, ...parts };
  writeFileSync(path, JSON.stringify(file), { mode: 0o600 });
  const events: LogEntry[] = [];
  const lines: Record<string, unknown>[] = [];
  const product = await create(path, {
    build: '0.0.0',
    codes: codeTables,
    uwsDirectory,
    logLine: (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
    log: (entry) => void events.push(entry),
    clock: systemClock,
    now: Date.now,
  });
  const { port } = product;
  return {
    product,
    port,
    url: `http://127.0.0.1:${port}`,
    home,
    path,
    dataDir: join(home, 'data'),
    events,
    lines,
    async rewrite(changed) {
      file = { ...file, ...changed };
      writeFileSync(path, JSON.stringify(file));
      await product.reload();
    },
    async [Symbol.asyncDispose]() {
      await product[Symbol.asyncDispose]();
      if (directory === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}

/** A body for model `demo`. */
export function chatBody(parts: FileParts = {}): string {
  return JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hi' }], ...parts });
}

/** The value of a header. */
export function headerOf({ fields }: Received, name: string): string | undefined {
  return fields.find(([key]) => key.toLowerCase() === name)?.[1];
}

/** The error in a body, in OpenAI's form. */
export function errorOf({ body }: Received): Readonly<Record<string, unknown>> {
  return (JSON.parse(body.toString()) as { error: Record<string, unknown> }).error;
}

/** The rate headers of an answer, by what follows `x-ratelimit-`. */
export function ratesOf({ fields }: Received): Readonly<Record<string, string>> {
  return Object.fromEntries(
    fields.flatMap(([name, value]) => {
      const rest = /^x-ratelimit-(.*)$/i.exec(name)?.[1];
      return rest === undefined ? [] : [[rest.toLowerCase(), value]];
    }),
  );
}
