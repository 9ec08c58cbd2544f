import { constants, getPriority, setPriority } from 'node:os';

/**
 * So many steps of `nice` below the thread that serves. With fewer the system still lets it wait while a thread computes that it
 * has just woken, and ten give no more (bench/LOG.md, 2026-11-27).
 */
const STEPS_BEHIND = 5;

/**
 * Puts this thread behind the one that started it wherever both want the same core: `behind`, or `last` of all. Only on Linux, which
 * gives each thread a priority of its own; elsewhere it would be the whole process's.
 */
export function yieldToOthers(place: 'behind' | 'last'): void {
  if (process.platform !== 'linux') return;
  const lowest = constants.priority.PRIORITY_LOW;
  // Never above where the process was put: that would take a right that it need not have.
  setPriority(place === 'last' ? lowest : Math.min(lowest, getPriority() + STEPS_BEHIND));
}
