/**
 * A process that compiles random sources until it has done so many: `fuzz-child.js SUBJECT FIRST_SEED COUNT`. It tells of
 * each batch in a line of JSON, and of the first source that goes wrong or takes too long; then it ends with 1.
 */

import fc from 'fast-check';
import { subjects, tryOne, type Tried } from './subjects.js';

/** Sources of one seed. */
const BATCH = 500;
/** Processor time that one part may take, of this thread and of the collector's. */
const MAX_CPU_US = 1_000_000;

const [, , name = '', first = '0', count = '0'] = process.argv;
const subject = subjects[name as keyof typeof subjects];

let compiled = 0;
let slowestUs = 0;
let slowest = '';

function fail(seed: number, source: unknown, problem: string): never {
  process.stdout.write(`${JSON.stringify({ seed, source, problem })}\n`);
  process.exit(1);
}

function tryOrFail(seed: number, source: unknown, walkSeed: number): Tried {
  try {
    return tryOne(subject, source, walkSeed);
  } catch (error) {
    return fail(seed, source, String((error as { stack?: unknown } | null)?.stack ?? error));
  }
}

for (let seed = Number(first), done = 0; done < Number(count); seed++) {
  const sources = fc.sample(subject.sources, { numRuns: Math.min(BATCH, Number(count) - done), seed });
  for (const source of sources) {
    const { isCompiled, problem, longestUs } = tryOrFail(seed, source, seed + done);
    if (isCompiled) compiled++;
    if (problem !== undefined) fail(seed, source, problem);
    if (longestUs > slowestUs) {
      slowestUs = longestUs;
      slowest = JSON.stringify(source);
    }
    if (longestUs > MAX_CPU_US) fail(seed, source, `it took ${longestUs} µs of processor time`);
  }
  done += sources.length;
  const rssMb = Math.round(process.memoryUsage.rss() / 2 ** 20);
  process.stdout.write(`${JSON.stringify({ done, compiled, slowestUs, rssMb, slowest: slowest.slice(0, 300) })}\n`);
}
