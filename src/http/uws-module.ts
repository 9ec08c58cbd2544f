import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { AppError, codeOf, isError, locate } from '../base/index.js';

/** The few functions of uWebSockets.js that we use (its docs/index.d.ts). */
export interface UwsModule {
  App(): UwsApp;
  SSLApp(options: { key_file_name: string; cert_file_name: string; passphrase?: string }): UwsApp;
  us_listen_socket_close(socket: object): void;
  us_socket_local_port(socket: object): number;
}

export interface UwsApp {
  any(pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void): UwsApp;
  /** Called with 1 when a connection opens and with -1 when it closes. */
  filter(handler: (response: UwsResponse, change: number) => void): UwsApp;
  listen(host: string, port: number, done: (socket: object | false) => void): UwsApp;
  close(): UwsApp;
}

export interface UwsRequest {
  getCaseSensitiveMethod(): string;
  getUrl(): string;
  getQuery(): string | undefined;
  forEach(take: (name: string, value: string) => void): void;
}

export interface UwsResponse {
  getRemoteAddressAsText(): ArrayBuffer;
  writeStatus(status: string): UwsResponse;
  /** A string is sent as UTF-8. */
  writeHeader(name: string, value: string | Uint8Array): UwsResponse;
  /** False when the socket is full; the bytes are kept all the same. */
  write(piece: Uint8Array): boolean;
  end(body: Uint8Array | undefined, closeConnection: boolean): UwsResponse;
  endWithoutBody(): UwsResponse;
  /** Ends the head before the first piece; from 2026 on. */
  beginWrite?(): void;
  /**
   * Sends a part of a body whose length is known: [whether all of it was taken, whether the answer is over]. What was not
   * taken is to be given again from `getWriteOffset` on, when the socket takes bytes again.
   */
  tryEnd(part: Uint8Array, totalBytes: number): [boolean, boolean];
  /** Bytes of the body that were taken. */
  getWriteOffset(): number;
  pause(): void;
  resume(): void;
  cork(run: () => void): UwsResponse;
  close(): UwsResponse;
  onAborted(run: () => void): UwsResponse;
  onData(take: (piece: ArrayBuffer, last: boolean) => void): UwsResponse;
  onWritable(run: (offset: number) => boolean): UwsResponse;
}

/** A uWebSockets.js that was found and runs on this Node. */
export interface FoundUws {
  readonly module: UwsModule;
  /** `20.66.0`, or undefined where the package is a repack, whose numbers say nothing. */
  readonly version: string | undefined;
  /** Whether the version is known and at least `SAFE_VERSION`. */
  readonly isSafe: boolean;
}

/** The first version with back-pressure for chunked answers (uWebSockets.js issue 1249), that refuses two Host headers. */
const SAFE_VERSION = [20, 64] as const;

/** How a user gets it: the author publishes it on GitHub only. */
const HOW_TO_INSTALL = 'install it from its author: npm install github:uNetworking/uWebSockets.js#v20.66.0';

/**
 * Loads uWebSockets.js from `directory`, or from where Node would find the package beside ours. Its version is read
 * from the package.json beside it, since the module does not tell. Errors: `transport_unavailable`.
 */
export async function loadUws(directory?: string): Promise<FoundUws> {
  const found = await findPackage(directory);
  if (found === undefined)
    throw unavailable(`uWebSockets.js is not installed; ${HOW_TO_INSTALL}, or use --transport node`);
  const { name, version, exports, main } = found.manifest;
  const entry = join(found.directory, exports?.import ?? main ?? 'uws.js');
  let module: UwsModule;
  try {
    module = toModule(await import(pathToFileURL(entry).href));
  } catch (error) {
    const why = isError(error) ? (error.message.split('\n', 1)[0] ?? '') : String(error);
    throw unavailable(`uWebSockets.js does not run on Node ${process.version}: ${why}; ${HOW_TO_INSTALL}`);
  }
  const known = name === 'uWebSockets.js' ? version : undefined;
  return { module, version: known, isSafe: known !== undefined && isAtLeast(known, SAFE_VERSION) };
}

function unavailable(message: string): AppError {
  return new AppError('transport_unavailable', message, { transport: 'uws' });
}

/** The parts of a package.json that matter here. */
interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly main?: string;
  readonly exports?: { readonly import?: string };
}

/** The package in `directory`, or else in the nearest node_modules above this file. */
async function findPackage(directory?: string): Promise<{ directory: string; manifest: Manifest } | undefined> {
  for (const place of directory === undefined ? placesAbove(fileURLToPath(locate('dist/src/http'))) : [directory]) {
    try {
      const manifest: unknown = JSON.parse(await readFile(join(place, 'package.json'), 'utf8'));
      return { directory: place, manifest: manifest as Manifest };
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
  return undefined;
}

function placesAbove(start: string): string[] {
  const places: string[] = [];
  for (let at = start; ; at = dirname(at)) {
    places.push(join(at, 'node_modules', 'uWebSockets.js'));
    if (dirname(at) === at) return places;
  }
}

/** A CommonJS package seen from here may have its functions under `default`. */
function toModule(loaded: unknown): UwsModule {
  const named = loaded as Partial<UwsModule> & { readonly default?: UwsModule };
  const module = named.App === undefined ? named.default : named;
  if (module?.App === undefined) throw new Error('it has no function App');
  return module as UwsModule;
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [, a, b] = /^(\d+)\.(\d+)\./.exec(version) ?? [];
  if (a === undefined || b === undefined) return false;
  return Number(a) > major || (Number(a) === major && Number(b) >= minor);
}
