import { constants, getPriority, setPriority } from 'node:os';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

/**
 * So many steps of `nice` below the thread that serves. With fewer the system still lets it wait while a thread computes that it
 * has just woken, and ten give no more (bench/LOG.md, 2026-11-27).
 */
const STEPS_BEHIND = 5;
/** What threads inherit; true where they give way. */
const GIVE_WAY = 'troupe: threads of actors give way';

/**
 * Threads of actors that start from now on stand behind this one wherever both want the same core: whoever serves must not wait
 * while they make more for it to serve. Other processes get more of the cores then, so that it is for one that does nothing but serve.
 */
export function letActorsGiveWay(): void {
  setEnvironmentData(GIVE_WAY, true);
}

/** What the thread of an actor does first. */
export function giveWayIfAsked(): void {
  if (getEnvironmentData(GIVE_WAY) === true) lowerPriority(Math.min(LOWEST, getPriority() + STEPS_BEHIND));
}

/** Puts this thread behind all others. */
export function giveWayToAll(): void {
  lowerPriority(LOWEST);
}

const LOWEST = constants.priority.PRIORITY_LOW;

/** Only on Linux, which gives each thread a priority of its own; elsewhere it would be the whole process's. */
function lowerPriority(priority: number): void {
  if (process.platform === 'linux') setPriority(priority);
}
