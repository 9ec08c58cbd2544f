// `private-gateway` in an empty folder.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory, entryOf, type Ended } from '../e2e/processes.js';
import { runHere } from '../e2e/run-here.js';

/** The file that `private-gateway` runs. */
export const ENTRY = entryOf('private-gateway');

/** An empty folder in which the command runs, and its files. */
export interface Folder {
  readonly path: string;
  /** Runs the command there to its end. */
  run(...args: string[]): Promise<Ended>;
  read(name: string): string;
  mode(name: string): string;
  /** Names and contents of all files. */
  snapshot(): Readonly<Record<string, string>>;
  remove(): void;
}

/** A new folder. */
export function createFolder(): Folder {
  const { path, remove } = createTemporaryDirectory();
  const read = (name: string): string => readFileSync(join(path, name), 'utf8');
  return {
    path,
    remove,
    read,
    run: (...args) => runHere(args, path, '', { program: 'private-gateway', cwd: path }),
    mode: (name) => (statSync(join(path, name)).mode & 0o777).toString(8),
    snapshot: () =>
      Object.fromEntries(
        readdirSync(path, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'utf8')]),
      ),
  };
}

/** A scan of the ports of this machine, with time enough for one that does other work beside. */
export function scanArgs(ports: readonly number[], timeout = '30'): string[] {
  return ['--cidr', '127.0.0.1', '--ports', ports.join(','), '--timeout', timeout];
}

/** Output with words in the place of what differs from run to run. */
export function withWords(text: string, ports: Readonly<Record<string, number>>, folder?: Folder): string {
  let words = text
    .replace(/gwk_[0-9A-Za-z]{6}_[0-9A-Za-z]{43}_[0-9A-Za-z]+/g, 'KEY')
    .replace(/gwk_[0-9A-Za-z]{6}/g, 'PREFIX')
    .replace(/gw_[0-9a-f]{32}/g, 'GATEWAY')
    .replace(/vk_[0-9A-Z]{26}/g, 'VIRTUAL_KEY')
    .replace(/\b[0-9a-f]{64}\b/g, 'HASH')
    .replace(/bak-\d{8}T\d{6}Z(?:-\d+)?/g, 'bak-TIME');
  for (const [name, port] of Object.entries(ports)) words = words.replace(new RegExp(`\\b${port}\\b`, 'g'), name);
  return folder === undefined ? words : words.replaceAll(folder.path, 'FOLDER');
}

/** What a program said on standard error beside the progress of a scan, which a scan that takes long writes into a pipe too. */
export function withoutProgress(stderr: string): string {
  return stderr.replace(/^scanning .*\n/gm, '');
}
