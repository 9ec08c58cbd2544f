/** What a person typed next: a message (of several lines when pasted), or that they want to leave. */
export type Typed = { type: 'line'; text: string } | { type: 'interrupt' } | { type: 'end' };

/** Messages from a terminal, one at a time. */
export interface LineReader {
  /** The next one; what was typed ahead is taken first. `history`: earlier ones for the arrow keys, the newest first. */
  next(prompt: string, history: readonly string[]): Promise<Typed>;
  /** Gives the terminal back to its own line discipline, so that Ctrl-C is a signal again; `next` takes it. */
  release(): void;
  close(): void;
}
