// AbortSignals cannot be cloned. A message carries a mark for each, and the receiver makes a signal of its own.

const MARK = 'troupe:signal';

function isMark(value: unknown): boolean {
  return typeof value === 'object' && value !== null && MARK in value;
}

/** Accepts signals of any realm: each realm has its own AbortSignal. */
function isSignal(value: unknown): value is AbortSignal {
  return Object.prototype.toString.call(value) === '[object AbortSignal]';
}

/** `args` with a mark for each AbortSignal, and the signals found; the same array when it has none. */
export function takeSignals(args: readonly unknown[]): { args: readonly unknown[]; signals: readonly AbortSignal[] } {
  const signals: AbortSignal[] = [];
  for (const arg of args) if (isSignal(arg)) signals.push(arg);
  if (signals.length === 0) return { args, signals };
  return { args: args.map((arg) => (isSignal(arg) ? { [MARK]: true } : arg)), signals };
}

/** Whether a signal was among the arguments that `args` came from. */
export function hasSignal(args: readonly unknown[]): boolean {
  return args.some(isMark);
}

/** `args` with `signal` in place of each mark. */
export function putSignal(args: readonly unknown[], signal: AbortSignal): unknown[] {
  return args.map((arg) => (isMark(arg) ? signal : arg));
}
