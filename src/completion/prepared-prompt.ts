import type { ChoiceRequest } from './choices/choice.js';

/** A prompt, ready to be generated: a sequence for each choice. */
export interface PreparedPrompt {
  readonly promptTokens: number;
  /** What the text of each answer begins with. */
  readonly echo: string;
  readonly choices: readonly ChoiceRequest[];
  /** Keywords of schemas that its answers are not held to, each with its place. */
  readonly unenforced: readonly string[];
}
