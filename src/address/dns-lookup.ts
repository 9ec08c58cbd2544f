// Names by DNS alone, without a thread: Node's own resolver (c-ares) asks the name servers of the system.
import { promises, type LookupAddress, type RecordWithTtl } from 'node:dns';
import { codeOf, sleep, type Clock } from '../base/index.js';

/** DNS's answer for a name. */
export type DnsAnswer =
  | { readonly kind: 'found'; readonly addresses: readonly LookupAddress[]; readonly ttlMs: number }
  /** DNS has no address for it, or there is no DNS: another source of the system may have one. */
  | { readonly kind: 'absent' }
  /** The lookup failed for now. */
  | { readonly kind: 'failed'; readonly code: string };

/** Time limit of one question. With two tries, the lookup gives up a silent server after some 4 s. */
const TIMEOUT_MS = 1_000;
const TRIES = 2;
/** How long a lookup waits for IPv6 addresses when it has those of IPv4: some servers never answer for them. */
const SECOND_MS = 250;
/** Interval at which the system's servers are read again: they change with its network. */
const SERVERS_MS = 30_000;
/** The name has no such address; or there is no server, or none that answers this machine. */
const ABSENT: readonly string[] = ['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'EREFUSED', 'EBADNAME', 'ENONAME'];

/** Names asked for together, and the pause before the next: a server loses packets in a burst of hundreds. */
const BURST = 32;
const PAUSE_MS = 2;

type Answered = { readonly records: readonly RecordWithTtl[] } | { readonly code: string };

/** Asks name servers: those of the system, or `servers` (`127.0.0.1:5353`). */
export class DnsLookup implements Disposable {
  readonly #clock: Clock;
  readonly #servers: readonly string[] | undefined;
  readonly #resolvers: { readonly resolver: promises.Resolver; readonly madeMs: number }[] = [];

  /** Names of this burst, and its end. */
  #begun = 0;
  #pause: Promise<void> | undefined;

  constructor(clock: Clock, servers?: readonly string[]) {
    this.#clock = clock;
    this.#servers = servers;
  }

  async ask(name: string): Promise<DnsAnswer> {
    while (this.#begun >= BURST) await this.#pause;
    this.#begun++;
    this.#pause ??= this.#rest();
    const resolver = this.#resolver();
    const six = settle(resolver.resolve6(name, { ttl: true }));
    const first = await settle(resolver.resolve4(name, { ttl: true }));
    const second = 'records' in first ? await this.#within(six) : await six;
    return toAnswer([
      [4, first],
      [6, second],
    ]);
  }

  [Symbol.dispose](): void {
    for (const { resolver } of this.#resolvers) resolver.cancel();
  }

  async #rest(): Promise<void> {
    await sleep(PAUSE_MS, this.#clock);
    this.#begun = 0;
    this.#pause = undefined;
  }

  async #within(six: Promise<Answered>): Promise<Answered> {
    const ended = new AbortController();
    const late = sleep(SECOND_MS, this.#clock, ended.signal).then(
      () => ({ code: 'ETIMEOUT' }),
      () => ({ code: 'ECANCELLED' }),
    );
    const answered = await Promise.race([six, late]);
    ended.abort();
    return answered;
  }

  #resolver(): promises.Resolver {
    const nowMs = this.#clock.nowMs();
    const newest = this.#resolvers.at(-1);
    if (newest !== undefined && nowMs - newest.madeMs < SERVERS_MS) return newest.resolver;
    const resolver = new promises.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (this.#servers !== undefined) resolver.setServers(this.#servers);
    this.#resolvers.push({ resolver, madeMs: nowMs });
    // The previous resolver may have questions under way; older ones have none.
    if (this.#resolvers.length > 2) this.#resolvers.shift();
    return resolver;
  }
}

async function settle(asked: Promise<RecordWithTtl[]>): Promise<Answered> {
  try {
    return { records: await asked };
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    return { code };
  }
}

function toAnswer(answered: readonly (readonly [family: 4 | 6, answer: Answered])[]): DnsAnswer {
  const found = answered.flatMap(([family, answer]) =>
    'records' in answer ? answer.records.map(({ address, ttl }) => ({ address, family, ttl })) : [],
  );
  if (found.length > 0) {
    const ttlMs = Math.min(...found.map(({ ttl }) => ttl)) * 1_000;
    return { kind: 'found', addresses: found.map(({ address, family }) => ({ address, family })), ttlMs };
  }
  const failed = answered.flatMap(([, answer]) =>
    'code' in answer && !ABSENT.includes(answer.code) ? [answer.code] : [],
  );
  return failed[0] === undefined ? { kind: 'absent' } : { kind: 'failed', code: failed[0] };
}
