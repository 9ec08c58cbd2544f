import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8's collector as its tests call it. `last-resort` releases pages that V8 otherwise keeps for ever. */
type Collect = (options?: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

/**
 * The V8 of Node 20 is 11 and reads any argument as a wish for a small collection. Without an argument it collects all
 * and keeps some pages.
 */
const KNOWS_FLAVORS = Number.parseInt(process.versions.v8, 10) >= 12;

/**
 * Collects all garbage and returns the memory to the system. For use after work that makes much garbage once: V8 of
 * Node 24 keeps 380 MB of pages for a heap of 5 MB. It stops the thread for some 2 ms per megabyte in use. Does nothing
 * where V8 has no such collector.
 */
export function releaseMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('typeof gc === "function" ? gc : undefined') as Collect | undefined;
  setFlagsFromString('--no-expose-gc');
  collect?.(KNOWS_FLAVORS ? { type: 'major', flavor: 'last-resort' } : undefined);
}
