import { hashFile, type HashJob } from './hash-job.js';

/** The task of a worker thread. piscina looks for the default or a named export. */
export function run(job: HashJob): string | null {
  return hashFile(job);
}
