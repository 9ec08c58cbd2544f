import { inflateZstd, type Inflated } from './inflate-zstd.js';

/** One body to be decompressed. */
export interface ZstdJob {
  readonly body: Uint8Array;
  readonly maxBytes: number;
}

/** The code of the thread for large bodies. piscina looks for the default or a named export. */
export function run({ body, maxBytes }: ZstdJob): Promise<Inflated> {
  return inflateZstd(body, maxBytes);
}
