import type { Finding } from '../../discovery/finding.js';
import { EventQueue } from '../event-stream.js';
import type { ShownFinding } from '../schemas/runtimes.js';
import type { ScanEvent, ScanState } from '../schemas/scans.js';
import type { ScanJob, ScanJobs } from './scan-jobs.js';

/** Options of the events of a scan. */
export interface ScanEventsOptions {
  readonly job: ScanJob;
  readonly scans: ScanJobs;
  readonly show: (finding: Finding) => ShownFinding;
  readonly showState: (job: ScanJob) => ScanState;
  readonly signal: AbortSignal;
}

/** The findings so far, then all events of the scan until its end. */
export async function* scanEvents(options: ScanEventsOptions): AsyncGenerator<ScanEvent, void> {
  const { job, scans, show, showState, signal } = options;
  const queue = new EventQueue<ScanEvent>();
  const end = (): void => {
    queue.push({ type: 'end', scan: showState(job) });
    queue.end();
  };
  const stop = scans.listen(job.id, (event) => {
    if (event.type === 'finding') queue.push({ type: 'finding', finding: show(event.finding) });
    else if (event.type === 'end') end();
    else queue.push({ type: 'progress', scan: showState(job) });
  });
  queue.push({ type: 'progress', scan: showState(job) });
  for (const finding of job.findings) queue.push({ type: 'finding', finding: show(finding) });
  if (job.state !== 'running') end();
  try {
    yield* queue.read(signal);
  } finally {
    stop();
  }
}
