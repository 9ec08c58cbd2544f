import { inflateZstd, type Inflated } from './inflate-zstd.js';

/** One body to be decompressed. */
export interface ZstdJob {
  readonly body: Uint8Array;
  readonly maxBytes: number;
}

/** What the thread for large bodies runs. piscina looks for the default or a named export. */
export function run({ body, maxBytes }: ZstdJob): Promise<Inflated> {
  return inflateZstd(body, maxBytes);
}
