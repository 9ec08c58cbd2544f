import { transfer as markTransfer } from 'comlink';

/**
 * Marks `transferables` (ports, array buffers) of `value` to be moved and not copied. comlink's own declaration names a
 * type that only browsers have.
 */
export function transfer<T>(value: T, transferables: readonly object[]): T {
  return markTransfer(value, [...transferables]);
}
