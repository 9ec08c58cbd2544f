import type { FillOptions, TensorTarget } from './load-weights.js';
import type { FileEntry, Manifest } from './manifest.js';

/** The data that a signature covers: the files beside those in the manifest, as they were opened. */
export interface Signable {
  /** manifest.json itself, which no other file hashes. */
  readonly manifestFile: Required<FileEntry>;
  /** The bytes of signature.json; undefined without one. */
  readonly signature: Uint8Array | undefined;
}

/** A model that can be loaded: an artifact, or a foreign file that is packed during its load. Owns open files. */
export interface ModelSource extends AsyncDisposable {
  /** Its path, for errors. */
  readonly directory: string;
  readonly manifest: Manifest;
  /** Undefined for a foreign file, which cannot have a signature of ours. */
  readonly signable?: Signable | undefined;
  /** The bytes of a file of the manifest other than the weights. Errors: `artifact_not_found`. */
  readFile(path: string): Promise<Uint8Array>;
  /**
   * Fills the targets with the packed tensors. On an error they hold partial data. Errors: `artifact_corrupt`,
   * `io_failed`, those of packing, the reason of the signal.
   */
  fill(placements: readonly TensorTarget[], options: FillOptions): Promise<void>;
}
