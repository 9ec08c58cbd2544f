import { readFile } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';
import { systemClock } from '../../../../base/index.js';
import { countText, sizeText } from '../../../../cli/index.js';
import type { Check, CheckGroup } from '../check.js';

/** Bytes that are copied to measure: more than any cache holds. */
const COPY_BYTES = 256 * 1024 * 1024;
const COPIES = 3;

/** Memory, its limits and its speed. */
export const memory: CheckGroup = {
  section: 'Memory',
  async look({ isQuick }) {
    const limit = constrainedMemory();
    const isLimited = limit !== undefined && limit > 0 && limit < totalmem();
    const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
    const checks: Check[] = [
      {
        name: 'memory',
        state: 'ok',
        text: `${sizeText(totalmem())}, ${sizeText(freemem())} free${isLimited ? `; this container may have ${sizeText(limit)}` : ''}`,
      },
      ...limitChecks(limits),
    ];
    return isQuick ? checks : [...checks, bandwidth()];
  },
};

/** Limits of the process that loads of models run into. */
function limitChecks(limits: string): Check[] {
  const softOf = (name: string): string | undefined => new RegExp(`^${name}\\s+(\\S+)`, 'm').exec(limits)?.[1];
  const space = softOf('Max address space');
  const files = softOf('Max open files');
  return [
    ...(space === undefined || space === 'unlimited'
      ? []
      : [
          {
            name: 'address space',
            state: 'problem' as const,
            text: `limited to ${sizeText(Number(space))}`,
            advice: 'V8 reserves 10 GiB of addresses for each WebAssembly memory: ulimit -v unlimited',
          },
        ]),
    ...(files === undefined
      ? []
      : [
          {
            name: 'open files',
            state: Number(files) < 1024 ? ('note' as const) : ('ok' as const),
            text: files === 'unlimited' ? files : `at most ${countText(Number(files))}`,
            ...(Number(files) < 1024 && { advice: 'a server with many clients needs more: ulimit -n 4096' }),
          },
        ]),
  ];
}

/** One thread that copies: what it reads and writes in a second. Several threads get more, on most machines. */
function bandwidth(): Check {
  const [from, to] = [Buffer.alloc(COPY_BYTES, 1), Buffer.alloc(COPY_BYTES, 2)];
  let bestMs = Infinity;
  for (let i = 0; i < COPIES; i++) {
    const startMs = systemClock.nowMs();
    from.copy(to);
    bestMs = Math.min(bestMs, systemClock.nowMs() - startMs);
  }
  const perSecond = (2 * COPY_BYTES * 1000) / bestMs;
  return {
    name: 'bandwidth',
    state: 'ok',
    text: `one thread copies ${(perSecond / 1e9).toFixed(1)} GB/s, read and written; a token reads all weights once`,
  };
}
