import { setMaxListeners } from 'node:events';
import { networkInterfaces } from 'node:os';
import { present, systemClock, type Clock } from '../../base/index.js';
import { runtimeKinds } from '../runtimes/index.js';
import { parseIpAddress, type IpAddress } from '../../address/index.js';
import { connect, type ProbeConnection } from './connect.js';
import type { Finding } from './finding.js';
import { createSemaphore, type Semaphore } from './semaphore.js';
import { identify } from './identify.js';
import { DEFAULT_SCAN_LIMITS, type ScanLimits } from './limits.js';
import { isOwnListener } from '../../address/index.js';
import { parseRange } from './range.js';
import { refusalOf, toTarget, type ContactRules, type ContactAddress } from './target.js';

/** The range and the options of a scan. */
export interface ScanOptions extends ContactRules {
  /** A CIDR range or an address; this machine when absent. */
  readonly range?: string;
  /** Absent: the ports of all kinds. */
  readonly ports?: readonly number[];
  readonly limits?: Partial<ScanLimits>;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

/** The progress of a scan, and its result in the end. */
export interface ScanCounts {
  /** Pairs of address and port to try. */
  readonly endpoints: number;
  /** Addresses of the range, and own listeners, that are never contacted. */
  readonly excluded: number;
  /** Endpoints that were tried; of these so many refused a connection or did not answer. */
  readonly tried: number;
  readonly closed: number;
  readonly silent: number;
  readonly found: number;
  readonly auth: number;
  readonly skipped: number;
  readonly impostor: number;
}

/** A scan. It runs while it is iterated, once, and no faster than its findings are taken; leaving the loop ends it. */
export interface Scan extends AsyncIterable<Finding> {
  /** `localhost`, or the range without its host bits. */
  readonly range: string;
  readonly ports: readonly number[];
  readonly counts: ScanCounts;
}

/** The default ports of all kinds. */
export const wellKnownPorts: readonly number[] = [
  ...new Set(Object.values(runtimeKinds).flatMap(({ ports }) => ports)),
].toSorted((a, b) => a - b);

/** A connection that waited longer for its turn is opened anew: servers close those on which nothing is asked. */
const STALE_MS = 1_000;

/** One port of one host. A later address is tried where the one before refuses: ::1 behind 127.0.0.1. */
interface Endpoint {
  readonly targets: readonly ContactAddress[];
  readonly host: Semaphore;
}

/** Prepares a scan; nothing is contacted before it is iterated. Errors: `scan_range_invalid`, `scan_range_refused`. */
export function createScan(options: ScanOptions = {}): Scan {
  const range = options.range === undefined ? thisMachine() : rangeOf(options.range, options.allowPublic);
  const ports = [...new Set(options.ports ?? wellKnownPorts)];
  const limits = { ...DEFAULT_SCAN_LIMITS, ...options.limits };
  const { own = [] } = options;
  const rules = { ...options, interfaces: options.interfaces ?? networkInterfaces() };
  const counts = { endpoints: 0, excluded: range.numExcluded, tried: 0, closed: 0, silent: 0 };
  const keep = (addresses: readonly IpAddress[], isKept: (address: IpAddress) => boolean): readonly IpAddress[] => {
    const kept = addresses.filter(isKept);
    counts.excluded += addresses.length - kept.length;
    return kept;
  };
  const hosts = range.hosts.map((addresses) => ({
    addresses: keep(addresses, (address) => refusalOf(address, 0, rules) === undefined),
    gate: createSemaphore(limits.perHost),
  }));
  const states = { found: 0, auth: 0, skipped: 0, impostor: 0 };
  // All hosts of a port before the next one: so no host gets a burst.
  const endpoints = ports.flatMap((port) =>
    hosts.flatMap(({ addresses, gate }): Endpoint[] => {
      const allowed = keep(addresses, (address) => !isOwnListener(address, port, own, rules.interfaces));
      return allowed.length === 0 ? [] : [{ targets: allowed.map((address) => toTarget(address, port)), host: gate }];
    }),
  );
  counts.endpoints = endpoints.length;

  const clock = options.clock ?? systemClock;
  const asking = createSemaphore(limits.endpoints);
  const again = (target: ContactAddress, stale: ProbeConnection, signal: AbortSignal): Promise<ProbeConnection> => {
    if (typeof stale !== 'string') stale.destroy();
    return connect(target, { connectMs: limits.connectMs, signal, clock });
  };
  const look = async ({ targets, host }: Endpoint, signal: AbortSignal): Promise<Finding | undefined> => {
    const finding = await host(async () => {
      for (const target of targets) {
        if (signal.aborted) return undefined;
        const connection = await connect(target, { connectMs: limits.connectMs, signal, clock });
        if (connection === 'silent') return void counts.silent++;
        if (connection === 'closed') continue;
        const openedMs = clock.nowMs();
        return asking(async () => {
          const isFresh = clock.nowMs() - openedMs < STALE_MS;
          return identify(target, isFresh ? connection : await again(target, connection, signal), {
            limits,
            signal,
            clock,
          });
        });
      }
      return void counts.closed++;
    });
    counts.tried++;
    if (finding !== undefined) states[finding.state]++;
    return finding;
  };
  return {
    range: range.text,
    ports,
    get counts() {
      return { ...counts, ...states };
    },
    [Symbol.asyncIterator]: () => inParallel(endpoints, limits.connections, look, options.signal),
  };
}

function rangeOf(text: string, allowPublic?: boolean): ReturnType<typeof thisMachine> {
  const range = parseRange(text, allowPublic);
  return { text: range.text, hosts: range.addresses.map((address) => [address]), numExcluded: range.numExcluded };
}

function thisMachine(): { text: string; hosts: readonly (readonly IpAddress[])[]; numExcluded: number } {
  const loopback = ['127.0.0.1', '::1'].map((text) => present(parseIpAddress(text), 'an address'));
  return { text: 'localhost', hosts: [loopback], numExcluded: 0 };
}

/**
 * Yields the results of `run` as they arrive, with `width` items under way or waiting to be taken. A consumer that
 * leaves early aborts the items under way, and waits for them. Errors: the reason of `outer`, those of `run`.
 */
async function* inParallel<T, R>(
  items: readonly T[],
  width: number,
  run: (item: T, signal: AbortSignal) => Promise<R | undefined>,
  outer?: AbortSignal,
): AsyncGenerator<R, void, undefined> {
  const controller = new AbortController();
  // Each connection under way listens, and they are as many as `width` lets in.
  setMaxListeners(0, controller.signal);
  const underWay = new Set<Promise<void>>();
  const ready: R[] = [];
  let failure: { readonly error: unknown } | undefined;
  let wake = (): void => {};
  const onAbort = (): void => {
    controller.abort();
    wake();
  };
  const start = (item: T): void => {
    const task: Promise<void> = run(item, controller.signal)
      .then(
        (result) => void (result !== undefined && ready.push(result)),
        (error: unknown) => void (failure ??= { error }),
      )
      .finally(() => {
        underWay.delete(task);
        wake();
      });
    underWay.add(task);
  };
  outer?.addEventListener('abort', onAbort, { once: true });
  try {
    for (let next = 0; ;) {
      outer?.throwIfAborted();
      if (failure !== undefined) throw failure.error;
      for (let item = items[next]; item !== undefined && underWay.size + ready.length < width; item = items[++next]) {
        start(item);
      }
      const result = ready.shift();
      if (result !== undefined) yield result;
      else if (underWay.size === 0) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    outer?.removeEventListener('abort', onAbort);
    controller.abort();
    await Promise.all(underWay);
  }
}
