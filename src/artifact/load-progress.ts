/** How far it is until a model can be used: it is pulled or hashed, converted, and its weights are read into memory. */
export interface LoadProgress {
  /**
   * `download` and `convert` come with a model that is pulled, `hash` and `convert` with the first load of a GGUF file, `load`
   * when the weights are not in memory yet.
   */
  readonly phase: 'download' | 'hash' | 'convert' | 'load';
  /** Bytes of this phase that are done: of the files, of the file, of the converted weights, of the weights. */
  readonly doneBytes: number;
  /** Bytes of the whole phase. */
  readonly totalBytes: number;
}

/** Called as work goes on, many times a second, with growing `doneBytes` in each phase. What it throws ends the work of whoever gave it. */
export type OnProgress = (progress: LoadProgress) => void;
