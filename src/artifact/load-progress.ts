/** How far it is until a model can be used: its file is hashed, converted, and its weights are read into memory. */
export interface LoadProgress {
  readonly phase: 'hash' | 'convert' | 'load';
  /** Bytes of this phase that are done: of the file, of the converted weights, of the weights. */
  readonly doneBytes: number;
  readonly totalBytes: number;
}

/** Called as work goes on, many times a second, with growing `doneBytes` in each phase. What it throws ends the work of whoever gave it. */
export type OnProgress = (progress: LoadProgress) => void;
