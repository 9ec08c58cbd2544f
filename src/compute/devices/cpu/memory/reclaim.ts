import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collections until memory counts as still referenced; it usually takes one, with inline engines two. */
const MAX_ROUNDS = 8;

/** What may wait for a later collection. V8 reserves some 10 GB of addresses for each memory, whatever its size. */
const MOST_WAITING = { bytes: 64 * 2 ** 20, memories: 16 };

/** A released memory, seen by references that do not hold it. */
interface Released {
  readonly bytes: number;
  readonly refs: readonly WeakRef<object>[];
}

/** Released, and not known to be gone. */
let waiting: Released[] = [];
let collector: (() => void) | undefined;

/**
 * Returns segments to the system: empties `memories`, for every holder of that array, and settles when they are gone, or when
 * little memory waits for a later call. V8 counts shared memory as nothing, so it would not collect for gigabytes of it.
 * Therefore this requests a collection (8 ms for a small heap, 110 ms for one of 200 MB, on Node 20). False: a reference to one
 * of them remains.
 */
export async function reclaim(memories: WebAssembly.Memory[]): Promise<boolean> {
  const released = memories.splice(0).map((memory): Released => {
    return { bytes: memory.buffer.byteLength, refs: [new WeakRef<object>(memory), new WeakRef(memory.buffer)] };
  });
  waiting = [...waiting.filter(isHeld), ...released];
  const bytes = waiting.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes < MOST_WAITING.bytes && waiting.length < MOST_WAITING.memories) return true;
  // The target of a WeakRef lives until the job ends that made or read it, hence the turns of the loop.
  for (let round = 0; round < MAX_ROUNDS; round++) {
    await setImmediate();
    collect();
    if (waiting.some(isHeld)) continue;
    // A sweeper unmaps unreachable memory in the background; the next collection waits for it.
    await setImmediate();
    collect();
    waiting = [];
    return true;
  }
  // What a reference holds is no reason for the next call to collect.
  waiting = [];
  return false;
}

function isHeld({ refs }: Released): boolean {
  return refs.some((ref) => ref.deref() !== undefined);
}

/** V8's collector without a flag on the command line: a new context has it while the flag is set. */
function collect(): void {
  if (collector === undefined) {
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as () => void;
    setFlagsFromString('--no-expose-gc');
  }
  collector();
}
