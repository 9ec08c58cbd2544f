import type { ChoiceRequest } from './choices/choice.js';

/** A prompt that is ready to generate from: a sequence for each choice. */
export interface PreparedPrompt {
  readonly promptTokens: number;
  /** The beginning of each answer's text. */
  readonly echo: string;
  readonly choices: readonly ChoiceRequest[];
  /** Keywords of schemas that its answers need not follow, each with its path. */
  readonly unenforced: readonly string[];
}
