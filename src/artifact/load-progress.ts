/** Progress of making a model usable: pull or hash it, convert it, read its weights into memory. */
export interface LoadProgress {
  /**
   * `download` and `convert` belong to a pull, `hash` and `convert` to the first load of a GGUF file. `load` comes when
   * the weights are not in memory yet.
   */
  readonly phase: 'download' | 'hash' | 'convert' | 'load';
  /** Bytes of this phase that are done: of the files, of the file, of the converted weights, of the weights. */
  readonly doneBytes: number;
  /** Bytes of the whole phase. */
  readonly totalBytes: number;
}

/**
 * Called many times a second during the work, with growing `doneBytes` in each phase. An exception of the callback ends
 * the work of its caller.
 */
export type OnProgress = (progress: LoadProgress) => void;
