import type { FillOptions, Placement } from './load-weights.js';
import type { FileEntry, Manifest } from './manifest.js';

/** What a signature is held against: the files beside those that the manifest lists, as they were opened. */
export interface Signable {
  /** manifest.json itself, of which nothing else has a hash. */
  readonly manifestFile: Required<FileEntry>;
  /** The bytes of signature.json; undefined where there is none. */
  readonly signature: Uint8Array | undefined;
}

/** A model that can be loaded: an artifact, or a foreign file that is packed while it is loaded. Owns open files. */
export interface ModelSource extends AsyncDisposable {
  /** Where it is: what errors name. */
  readonly directory: string;
  readonly manifest: Manifest;
  /** Undefined for a foreign file, which can have no signature of ours. */
  readonly signable?: Signable | undefined;
  /** The bytes of a file of the manifest other than the weights. Errors: `artifact_not_found`. */
  readFile(path: string): Promise<Uint8Array>;
  /**
   * Fills the targets with the packed tensors. On an error they hold whatever was read.
   * Errors: `artifact_corrupt`, `io_failed`, those of packing, the reason of the signal.
   */
  fill(placements: readonly Placement[], options: FillOptions): Promise<void>;
}
