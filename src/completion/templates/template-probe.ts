import { createHash } from 'node:crypto';
import { AppError, createThreadPool, isError, systemClock, type Clock } from '../../base/index.js';
import type { ProbeJob, TemplateSkills } from './probe-thread.js';

/** Time limit of all renderings of one template together: a dozen, on a busy machine. Then its thread is stopped. */
const PROBE_DEADLINE_MS = 5_000;
/** Heap of the thread, MB: as for the template actor. */
const HEAP_MB = 256;
/** Cached templates: more than a models directory has. */
const MAX_KNOWN = 256;
/** Probes that may wait for their thread. */
const MAX_WAITING = 64;

/** The abilities of a template that cannot be rendered, or not in time. */
const NOTHING: TemplateSkills = { tools: false, thinking: false };

/** Finds models' abilities without loading the models. Disposing of it clears its cache. */
export interface TemplateProbe extends Disposable {
  /** Errors: `overloaded`, `package_not_found`. */
  skillsOf(job: ProbeJob): Promise<TemplateSkills>;
}

/** Probes foreign templates, in a thread that is stopped when one of them loops, and caches the results. */
export function createTemplateProbe(clock: Clock = systemClock): TemplateProbe {
  const known = new Map<string, Promise<TemplateSkills>>();
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  /** One after the other: each has a thread of its own for as long as it takes. */
  const inTurn = async (job: ProbeJob): Promise<TemplateSkills> => {
    if (waiting >= MAX_WAITING) {
      const message = `${MAX_WAITING} chat templates wait to be looked at already; try again later`;
      throw new AppError('overloaded', message, { limit: MAX_WAITING });
    }
    waiting++;
    const run = (): Promise<TemplateSkills> => probe(job, clock);
    const result = last.then(run, run);
    last = result.catch(() => undefined);
    return result.finally(() => waiting--);
  };

  return {
    skillsOf(job) {
      const key = createHash('sha256').update(JSON.stringify(job)).digest('hex');
      const skills = known.get(key) ?? inTurn(job);
      known.set(key, skills);
      skills.catch(() => known.delete(key));
      const [oldest] = known.keys();
      if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
      return skills;
    },
    [Symbol.dispose]: () => known.clear(),
  };
}

async function probe(job: ProbeJob, clock: Clock): Promise<TemplateSkills> {
  const pool = await createThreadPool<ProbeJob, TemplateSkills>({
    file: 'dist/src/completion/templates/probe-thread.js',
    minThreads: 1,
    maxThreads: 1,
    heapMb: HEAP_MB,
  });
  const late = new AbortController();
  const stop = clock.after(PROBE_DEADLINE_MS, () => late.abort());
  // A thread's death between two tasks emits an 'error' event, which would end the process without a listener.
  const broken = new Promise<never>((_, reject) => pool.on('error', reject));
  try {
    return await Promise.race([pool.run(job, { name: 'run', signal: late.signal }), broken]);
  } catch (error) {
    if (!isError(error)) throw error;
    return NOTHING;
  } finally {
    stop();
    await pool.destroy();
  }
}
