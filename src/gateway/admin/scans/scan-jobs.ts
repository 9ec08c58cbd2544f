import { randomBytes } from 'node:crypto';
import { AppError, every, toErrorData, type Clock } from '../../../base/index.js';
import type { Finding } from '../../discovery/finding.js';
import type { OwnListener } from '../../../address/index.js';
import { createScan, type Scan, type ScanCounts } from '../../discovery/scan.js';

/** Scans that are remembered: a page that is opened again shows the last few. */
const MAX_JOBS = 8;
/** Findings of one scan that are kept; a /22 full of runtimes has 1,024 with a port each. */
const MAX_FINDINGS = 4_096;
/** Of the time for an endpoint, how much it may take until it is connected: of 1.5 seconds 0.4. */
const CONNECT_SHARE = 4 / 15;
/** Milliseconds between two reports of progress to listeners. */
const PROGRESS_MS = 250;

/** The parameters of a scan. */
export interface ScanRequest {
  readonly range?: string;
  readonly ports?: readonly number[];
  readonly allowPublic?: boolean;
  /** For each endpoint. */
  readonly timeoutMs?: number;
}

/** An event that a listener of a job gets. */
export type JobEvent = { readonly type: 'progress' | 'end' } | { readonly type: 'finding'; readonly finding: Finding };

/** A scan that was begun. */
export interface ScanJob {
  readonly id: string;
  readonly range: string;
  readonly ports: readonly number[];
  readonly startedAtMs: number;
  readonly findings: readonly Finding[];
  readonly numLeftOut: number;
  readonly counts: ScanCounts;
  readonly state: 'running' | 'done' | 'cancelled' | 'failed';
  readonly error: string | undefined;
  readonly endedAtMs: number | undefined;
}

/** Options of scan jobs. */
export interface ScanJobsOptions {
  readonly clock: Clock;
  readonly now: () => number;
  /** Listeners of the gateway itself, which a scan never contacts. */
  readonly own: () => readonly OwnListener[];
}

/** The scans of an operator: one at a time, the last few remembered in memory. */
export class ScanJobs {
  readonly #options: ScanJobsOptions;
  /** The newest last. */
  readonly #jobs: Job[] = [];

  constructor(options: ScanJobsOptions) {
    this.#options = options;
  }

  /** The newest first. */
  list(): readonly ScanJob[] {
    return this.#jobs.toReversed();
  }

  /** Undefined: the id is unknown, or the scan was dropped. */
  find(id: string): ScanJob | undefined {
    return this.#jobs.find((job) => job.id === id);
  }

  /** Begins one. Errors: `scan_busy`, `scan_range_invalid`, `scan_range_refused`. */
  start({ range, ports, allowPublic, timeoutMs }: ScanRequest): ScanJob {
    const running = this.#jobs.find(({ state }) => state === 'running');
    if (running !== undefined) {
      const message = `a scan of ${running.range} still runs; wait for its end, or cancel it`;
      throw new AppError('scan_busy', message, { id: running.id });
    }
    const controller = new AbortController();
    const scan = createScan({
      ...(range !== undefined && { range }),
      ...(ports !== undefined && { ports }),
      ...(allowPublic !== undefined && { allowPublic }),
      ...(timeoutMs !== undefined && { limits: { endpointMs: timeoutMs, connectMs: timeoutMs * CONNECT_SHARE } }),
      own: this.#options.own(),
      signal: controller.signal,
      clock: this.#options.clock,
    });
    const job = new Job(scan, controller, this.#options);
    this.#jobs.push(job);
    if (this.#jobs.length > MAX_JOBS) this.#jobs.shift();
    void job.run();
    return job;
  }

  /** Cancels a scan and waits for its end. Returns whether the id is known. */
  async cancel(id: string): Promise<boolean> {
    const job = this.#jobs.find((each) => each.id === id);
    if (job === undefined) return false;
    await job.cancel();
    return true;
  }

  /** Ends all of them. */
  async cancelAll(): Promise<void> {
    await Promise.all(this.#jobs.map((job) => job.cancel()));
  }

  /** Calls `listener` with the events of a job; the returned function ends that. */
  listen(id: string, listener: (event: JobEvent) => void): () => void {
    const job = this.#jobs.find((each) => each.id === id);
    job?.listeners.add(listener);
    return () => job?.listeners.delete(listener);
  }
}

class Job implements ScanJob {
  readonly id = randomBytes(8).toString('hex');
  readonly range: string;
  readonly ports: readonly number[];
  readonly startedAtMs: number;
  readonly findings: Finding[] = [];
  readonly listeners = new Set<(event: JobEvent) => void>();
  numLeftOut = 0;
  state: ScanJob['state'] = 'running';
  error: string | undefined;
  endedAtMs: number | undefined;
  readonly #scan: Scan;
  readonly #controller: AbortController;
  readonly #options: ScanJobsOptions;
  #ended: Promise<void> = Promise.resolve();

  constructor(scan: Scan, controller: AbortController, options: ScanJobsOptions) {
    this.#scan = scan;
    this.#controller = controller;
    this.#options = options;
    this.range = scan.range;
    this.ports = scan.ports;
    this.startedAtMs = options.now();
  }

  get counts(): ScanCounts {
    return this.#scan.counts;
  }

  run(): Promise<void> {
    this.#ended = this.#run();
    return this.#ended;
  }

  async cancel(): Promise<void> {
    this.#controller.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const stop = every(PROGRESS_MS, this.#options.clock, () => this.#tell({ type: 'progress' }));
    try {
      for await (const finding of this.#scan) this.#take(finding);
      this.state = 'done';
    } catch (error) {
      const isCancelled = this.#controller.signal.aborted;
      this.state = isCancelled ? 'cancelled' : 'failed';
      if (!isCancelled) this.error = toErrorData(error).message;
    }
    stop();
    this.endedAtMs = this.#options.now();
    this.#tell({ type: 'end' });
    this.listeners.clear();
  }

  #take(finding: Finding): void {
    if (this.findings.length >= MAX_FINDINGS) {
      this.numLeftOut++;
      return;
    }
    this.findings.push(finding);
    this.#tell({ type: 'finding', finding });
  }

  #tell(event: JobEvent): void {
    for (const listener of this.listeners) listener(event);
  }
}
