/** What a person typed next: a message (of several lines when pasted), or that they want to leave. */
export type Typed = { type: 'line'; text: string } | { type: 'interrupt' } | { type: 'end' };

/** Messages from a terminal, one at a time. */
export interface LineReader {
  /** The next one; what was typed ahead is taken first. `history`: earlier ones for the arrow keys, the newest first. */
  next(prompt: string, history: readonly string[]): Promise<Typed>;
  /** Runs an answer: what is typed meanwhile waits for the next prompt, but Ctrl-C is the signal that it is elsewhere. */
  during<T>(work: () => Promise<T>): Promise<T>;
  close(): void;
}
