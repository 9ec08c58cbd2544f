import type { FillOptions, Placement } from './load-weights.js';
import type { Manifest } from './manifest.js';

/** A model that can be loaded: an artifact, or a foreign file that is packed while it is loaded. Owns open files. */
export interface ModelSource extends AsyncDisposable {
  /** Where it is: what errors name. */
  readonly directory: string;
  readonly manifest: Manifest;
  /** The bytes of a file of the manifest other than the weights. Errors: `artifact_not_found`. */
  readFile(path: string): Promise<Uint8Array>;
  /**
   * Fills the targets with the packed tensors. On an error they hold whatever was read.
   * Errors: `artifact_corrupt`, `io_failed`, those of packing, the reason of the signal.
   */
  fill(placements: readonly Placement[], options: FillOptions): Promise<void>;
}
