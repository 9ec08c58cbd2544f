import { runChunkJob, type ChunkFault, type ChunkJob } from './chunk-job.js';

/** The task of a worker thread of the pool. piscina looks for the default or a named export. */
export function run(job: ChunkJob): ChunkFault | null {
  const steps = runChunkJob(job);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
