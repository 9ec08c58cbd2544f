/** A sleeper counts itself in the upper half of `arrivals`, so that nobody is woken when all of them spin. */
const SLEEPER: i32 = 0x10000;
const ARRIVED: i32 = 0xffff;

/**
 * Returns when `threads` threads (fewer than 65,536) have called it. state: i32 arrivals, i32 generation.
 *
 * The last to arrive opens the next generation first and takes the arrivals off afterwards. A thread that is already
 * in the next round then sees a count of `threads` or more, which is never the last one's `threads − 1`: that waits
 * for the opener itself. A sleeper counts itself before it sleeps on the generation, so either the opener sees it or
 * it sees the new generation.
 */
export function barrier(state: usize, threads: i32, spins: i32): void {
  if (threads == 1) return;
  const generation = atomic.load<i32>(state, 4);
  if ((atomic.add<i32>(state, 1) & ARRIVED) == threads - 1) {
    atomic.store<i32>(state, generation + 1, 4);
    const before = atomic.sub<i32>(state, threads);
    if (before >> 16) atomic.notify(state + 4, -1);
    return;
  }
  for (let i = 0; i < spins; i++) {
    if (atomic.load<i32>(state, 4) != generation) return;
  }
  atomic.add<i32>(state, SLEEPER);
  while (atomic.load<i32>(state, 4) == generation) atomic.wait<i32>(state + 4, generation, -1);
  atomic.sub<i32>(state, SLEEPER);
}
