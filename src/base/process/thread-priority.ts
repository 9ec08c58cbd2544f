import { constants, getPriority, setPriority } from 'node:os';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

/**
 * Steps of `nice` below the serving thread. With fewer the system still makes it wait while a thread computes that it
 * has just woken, and ten gain nothing more (bench/log/grpc.md).
 */
const STEPS_BEHIND = 5;
/** Environment data that threads inherit; true where they yield. */
const GIVE_WAY = 'troupe: threads of actors give way';

/**
 * Actor threads that start from now on yield to this thread wherever both want the same core. The serving thread must
 * not wait while they produce more work for it. Other processes get more of the cores then, so this suits only a
 * process that does nothing but serve.
 */
export function letActorsGiveWay(): void {
  setEnvironmentData(GIVE_WAY, true);
}

/** The first step of an actor's thread. */
export function giveWayIfAsked(): void {
  if (getEnvironmentData(GIVE_WAY) === true) lowerPriority(Math.min(LOWEST, getPriority() + STEPS_BEHIND));
}

/** Makes this thread yield to all others. */
export function giveWayToAll(): void {
  lowerPriority(LOWEST);
}

const LOWEST = constants.priority.PRIORITY_LOW;

/** Only on Linux, where each thread has a priority of its own; elsewhere the call would change the whole process. */
function lowerPriority(priority: number): void {
  if (process.platform === 'linux') setPriority(priority);
}
