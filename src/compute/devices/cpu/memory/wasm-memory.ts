import { AppError } from '../../../../base/index.js';

/** Bytes of a page of WebAssembly memory. */
export const PAGE_BYTES = 65_536;

/**
 * Shared WebAssembly memory with this many pages, all zero. The system allocates pages at their first use, but V8
 * reserves some 10 GiB of addresses for each memory. So a limit on virtual memory may refuse a small one. `purpose`
 * ends the sentence "no room for". Errors: `out_of_memory`.
 */
export function createSharedMemory(pages: number, purpose: string): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  } catch (cause) {
    const bytes = pages * PAGE_BYTES;
    const message = `no room for ${purpose} of ${bytes} bytes; use a smaller quant or context, or raise the limit on virtual memory (ulimit -v), of which V8 reserves some 10 GiB for each memory`;
    throw new AppError('out_of_memory', message, { bytes }, { cause });
  }
}
