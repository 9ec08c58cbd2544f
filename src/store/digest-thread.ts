import { runDigestJob, type DigestJob, type DigestResult } from './digest-job.js';

/** What a worker thread runs. piscina looks for the default or a named export. */
export function run(job: DigestJob): DigestResult | null {
  const steps = runDigestJob(job);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
