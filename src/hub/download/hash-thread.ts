import { hashFile, type HashJob } from './hash-job.js';

/** What a worker thread runs. piscina looks for the default or a named export. */
export function run(job: HashJob): string | null {
  return hashFile(job);
}
