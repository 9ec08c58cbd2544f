// The hosts file of the system, in which an operator sets the address of a name.
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { LookupAddress } from 'node:dns';
import { isError, type Clock } from '../base/index.js';

/** How long a read of the file stays valid. */
const FRESH_MS = 2_000;

/** The path of the file by system. */
const PATH = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

/** Addresses by names, in the order of the file. */
export type Hosts = ReadonlyMap<string, readonly LookupAddress[]>;

/** Parses a hosts file: an address and names on each line, without comments after a #. Source: hosts(5). */
export function parseHosts(text: string): Hosts {
  const hosts = new Map<string, LookupAddress[]>();
  for (const line of text.split(/\r?\n/)) {
    const [address = '', ...names] = line
      .replace(/#.*/, '')
      .trim()
      .split(/[ \t]+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of new Set(names.map((each) => each.toLowerCase()))) {
      const known = hosts.get(name) ?? [];
      hosts.set(name, known);
      if (!known.some((other) => other.address === address)) known.push({ address, family });
    }
  }
  return hosts;
}

/** A hosts file that is read again when it has changed. */
export class HostsFile {
  readonly #path: string;
  readonly #clock: Clock;
  #hosts: Hosts = new Map();
  #version = '';
  #lookedMs = -Infinity;

  constructor(clock: Clock, path = PATH) {
    this.#clock = clock;
    this.#path = path;
  }

  /** The addresses of a name in lower case; none when the file lacks it or does not exist. */
  async find(name: string): Promise<readonly LookupAddress[]> {
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#lookedMs >= FRESH_MS) {
      this.#lookedMs = nowMs;
      await this.#look();
    }
    return this.#hosts.get(name) ?? [];
  }

  async #look(): Promise<void> {
    try {
      const { mtimeMs, size, ino } = await stat(this.#path);
      const version = `${mtimeMs}/${size}/${ino}`;
      if (version === this.#version) return;
      this.#hosts = parseHosts(await readFile(this.#path, 'utf8'));
      this.#version = version;
    } catch (error) {
      // An unreadable file counts as empty, as it does for the system.
      if (!isError(error)) throw error;
    }
  }
}
