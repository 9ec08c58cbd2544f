// Scans of servers on this machine, with time enough for a machine that does other work beside.
import {
  createScan,
  type Finding,
  type Scan,
  type ScanCounts,
  type ScanLimits,
  type ScanOptions,
} from '../../../src/gateway/index.js';
import type { Served } from './serve.js';

/** Time for an endpoint that answers: nothing waits for it to pass. */
export const CALM: Partial<ScanLimits> = { endpointMs: 30_000, connectMs: 30_000 };

/** A scan of 127.0.0.1. */
export function scanOf(ports: readonly number[], options: ScanOptions = {}): Scan {
  return createScan({ range: '127.0.0.1', ports, interfaces: {}, ...options, limits: { ...CALM, ...options.limits } });
}

/** All that a scan finds, by port, and its counts. */
export async function collect(
  scan: Scan,
): Promise<{ readonly byPort: ReadonlyMap<number, Finding>; readonly counts: ScanCounts }> {
  const byPort = new Map<number, Finding>();
  for await (const finding of scan) byPort.set(Number(new URL(finding.url).port), finding);
  return { byPort, counts: scan.counts };
}

/** What a scan says of one server. */
export async function findingOf(served: Served, options: ScanOptions = {}): Promise<Finding | undefined> {
  const { byPort } = await collect(scanOf([served.port], options));
  return byPort.get(served.port);
}

/** Ends all of them. */
export async function endAll(servers: Iterable<Served>): Promise<void> {
  await Promise.all([...servers].map((served) => served[Symbol.asyncDispose]()));
}
