import { describe, expect, it } from 'vitest';
import { AppError, toErrorData, toMemoryError } from '../../src/base/index.js';

const thrownBy = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error;
  }
};

describe('an error as data', () => {
  it('is out_of_memory where V8 says that it has none, whatever is asked for', () => {
    const failures = [() => new ArrayBuffer(2 ** 45), () => new SharedArrayBuffer(2 ** 45)].map(thrownBy);
    // What V8 says of WebAssembly memory, and the system of a mapping, under a limit on virtual memory.
    failures.push(new RangeError('WebAssembly.Memory(): could not allocate memory'));
    failures.push(Object.assign(new Error('mmap failed'), { code: 'ENOMEM' }));
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(Error);
      expect(toErrorData(failure)).toMatchObject({ code: 'out_of_memory' });
      expect(toMemoryError(failure)).toBeInstanceOf(AppError);
    }
  });

  it('keeps its code, and is internal_error where it has none', () => {
    const own = new AppError('queue_full', 'out of memory, it says', { limit: 1 });
    expect(toErrorData(own)).toEqual({ code: 'queue_full', message: own.message, details: { limit: 1 } });
    for (const other of [new RangeError('Invalid array length'), new TypeError('out of memory'), 'out of memory']) {
      expect(toErrorData(other).code).toBe('internal_error');
      expect(toMemoryError(other)).toBe(other);
    }
  });
});
