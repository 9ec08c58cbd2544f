import { transfer as markTransfer } from 'comlink';

/**
 * `value`, to be sent so that `transferables` (ports, array buffers) are moved and not copied. A declaration of our own:
 * comlink's names a type that only browsers have.
 */
export function transfer<T>(value: T, transferables: readonly object[]): T {
  return markTransfer(value, [...transferables]);
}
