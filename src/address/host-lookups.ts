// Resolves names of many servers, some of them slow: none waits for another. `dns.lookup` has two threads for all.
import type { LookupAddress } from 'node:dns';
import { codeOf, type Clock } from '../base/index.js';
import type { LookUpAll } from './checked-connect.js';
import { DnsLookup } from './dns-lookup.js';
import { HostsFile } from './hosts-file.js';
import { SystemLookups } from './system-lookups.js';

/** The sources of lookups. */
export interface HostLookupsOptions {
  readonly clock: Clock;
  /** Name servers (`127.0.0.1:5353`); absent: those of the system. */
  readonly servers?: readonly string[];
  /** Path of the hosts file; absent: the system's. */
  readonly hostsPath?: string;
  /** Resolves names that neither hosts file nor DNS know; absent: the system. */
  readonly lookUp?: LookUpAll;
}

/** Lookups of one process. */
export interface HostLookups extends Disposable {
  readonly lookUpAll: LookUpAll;
}

/** How long addresses are trusted: the TTL of DNS within these bounds; half a minute for the system's. */
const LEAST_MS = 5_000;
const MOST_MS = 60_000;
const SYSTEM_MS = 30_000;
/** How long a failure is remembered. */
const FAILED_MS = 2_000;
/** How long stale addresses are used while no source answers. Source: RFC 8767. */
const STALE_MS = 600_000;
/** Limits: remembered names, and concurrent lookups. */
const MAX_NAMES = 4_096;
const MAX_UNDER_WAY = 512;

type Found =
  | { readonly addresses: readonly LookupAddress[]; readonly forMs: number }
  /** `isLasting`: there is no such name; otherwise the lookup failed for now. */
  | { readonly code: string; readonly isLasting: boolean };

interface Entry {
  addresses: readonly LookupAddress[];
  /** Time of the lookup. */
  foundMs: number;
  freshUntilMs: number;
  /** Error code of the last lookup, where it failed. */
  code: string | undefined;
  underWay: Promise<void> | undefined;
}

/**
 * Looks names up in the hosts file, then by DNS, then by the system's other sources (search lists, mDNS). Looks each
 * name up once at a time and remembers its addresses. The connector checks them each time.
 */
export function createHostLookups(options: HostLookupsOptions): HostLookups {
  const lookups = new Lookups(options);
  return {
    lookUpAll(hostname, tell) {
      const told = (found: readonly LookupAddress[] | string): void =>
        typeof found === 'string' ? tell(toError(found, hostname), []) : tell(null, found);
      // Any other failure fails this connection alone.
      void lookups.find(hostname.toLowerCase()).catch(codeOfFailure).then(told);
    },
    [Symbol.dispose]: () => lookups[Symbol.dispose](),
  };
}

class Lookups implements Disposable {
  readonly #clock: Clock;
  readonly #hosts: HostsFile;
  readonly #dns: DnsLookup;
  readonly #system: SystemLookups;
  readonly #entries = new Map<string, Entry>();
  #underWay = 0;

  constructor({ clock, servers, hostsPath, lookUp }: HostLookupsOptions) {
    this.#clock = clock;
    this.#hosts = new HostsFile(clock, hostsPath);
    this.#dns = new DnsLookup(clock, servers);
    this.#system = new SystemLookups(clock, lookUp);
  }

  /** The addresses of a name, or an error code. */
  async find(name: string): Promise<readonly LookupAddress[] | string> {
    // The hosts file comes first, since it may change: an entry takes effect at once.
    const written = await this.#hosts.find(name);
    if (written.length > 0) return written;
    const entry = this.#entryOf(name);
    if (this.#clock.nowMs() >= entry.freshUntilMs) {
      if (entry.underWay === undefined && this.#underWay >= MAX_UNDER_WAY) return 'EAI_AGAIN';
      entry.underWay ??= this.#refresh(name, entry);
      await entry.underWay;
    }
    return entry.addresses.length > 0 ? entry.addresses : (entry.code ?? 'ENOTFOUND');
  }

  [Symbol.dispose](): void {
    this.#dns[Symbol.dispose]();
  }

  async #refresh(name: string, entry: Entry): Promise<void> {
    this.#underWay++;
    const found = await this.#ask(name).finally(() => {
      this.#underWay--;
      entry.underWay = undefined;
    });
    const nowMs = this.#clock.nowMs();
    entry.code = 'code' in found ? found.code : undefined;
    entry.freshUntilMs = nowMs + ('code' in found ? FAILED_MS : found.forMs);
    if ('addresses' in found) [entry.addresses, entry.foundMs] = [found.addresses, nowMs];
    else if (found.isLasting || nowMs - entry.foundMs > STALE_MS) entry.addresses = [];
  }

  async #ask(name: string): Promise<Found> {
    // RFC 6761, 6.3: no server may be asked for these.
    const answer = isLocal(name) ? { kind: 'absent' as const } : await this.#dns.ask(name);
    if (answer.kind === 'failed') return { code: answer.code, isLasting: false };
    if (answer.kind === 'found') {
      return { addresses: answer.addresses, forMs: Math.min(MOST_MS, Math.max(LEAST_MS, answer.ttlMs)) };
    }
    const known = await this.#system.ask(name);
    if ('addresses' in known) return { addresses: known.addresses, forMs: SYSTEM_MS };
    return { code: known.code, isLasting: known.code === 'ENOTFOUND' };
  }

  #entryOf(name: string): Entry {
    const known = this.#entries.get(name);
    if (known !== undefined) return known;
    if (this.#entries.size >= MAX_NAMES) this.#forgetOldest();
    const entry = { addresses: [], foundMs: 0, freshUntilMs: -Infinity, code: undefined, underWay: undefined };
    this.#entries.set(name, entry);
    return entry;
  }

  #forgetOldest(): void {
    for (const [name, { underWay }] of this.#entries) {
      if (underWay !== undefined) continue;
      this.#entries.delete(name);
      return;
    }
  }
}

function codeOfFailure(error: unknown): string {
  return codeOf(error) ?? 'EAI_FAIL';
}

function isLocal(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

function toError(code: string, hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address: ${code}`), { code });
}
