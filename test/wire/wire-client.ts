// What the suite of all dialects knows of a client of one.
import type { ChoiceFinish, Delta, TokenUsage } from '../../src/completion/index.js';

/** A choice as a client has read it. */
export interface ReadChoice {
  content: string;
  reasoning: string;
  calls: { id: string; name: string; argumentsText: string }[];
  /** Bytes of the tokens whose logprobs were told, joined. */
  tokenText: string;
  finish: string | null;
}

/** An answer as a client has read it. */
export interface ReadAnswer {
  readonly choices: ReadChoice[];
  usage: TokenUsage | undefined;
  readonly ids: ReadonlySet<string>;
  readonly models: ReadonlySet<string>;
}

/** What a body asks for. */
export interface Asked {
  readonly n: number;
  readonly isStream: boolean;
  readonly tellsUsage: boolean;
  readonly logprobs: boolean;
}

/** How clients of a dialect speak. */
export interface WireClient {
  body(asked: Asked): object;
  /** Choices that a request may ask for. */
  readonly maxChoices: number;
  readonly tellsLogprobs: boolean;
  /** Usage is sent unasked. */
  readonly tellsUsageAlways: boolean;
  /** What it tells of an answer's usage; the rest reads as 0. Absent: all. */
  readonly told?: readonly (keyof TokenUsage)[];
  /** Answers have no ids. */
  readonly hasNoIds?: true;
  /** What answers of this dialect can say. */
  readonly says: readonly Delta['type'][];
  /** What it calls the reasons for which choices end. */
  readonly finishes: ReadonlyMap<ChoiceFinish, string>;
  readWhole(whole: object): ReadAnswer;
  /** Throws where an object says something of a choice that has ended. */
  readStream(objects: readonly object[], n: number): ReadAnswer;
  readError(body: object): { readonly code: string | null; readonly message: string };
}

/** A choice of which nothing was read. */
export const emptyChoice = (): ReadChoice => ({
  content: '',
  reasoning: '',
  calls: [],
  tokenText: '',
  finish: null,
});

/** The text of bytes in UTF-8. */
export const bytesToText = (bytes: readonly number[]): string => Buffer.from(bytes).toString('utf8');
