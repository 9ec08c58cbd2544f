/** Matches are told apart up to this length: chance makes them short, a text that repeats itself long. */
export const LONG_MATCH = 8;
/** How likely a guess is taken to be right before any was: with no match, behind a short one, behind a long one. */
const FIRST = { none: 0.3, short: 0.5, long: 0.95 } as const;
/** The length of a match that is called short. */
const SHORT_MATCH = 3;
/** Weight of the newest guess: of one text, and of all texts, which tell where the next text begins. */
const NEWEST = { text: 0.15, all: 0.02 } as const;

/** How likely a guess is right, by the number of tokens before it that match those before its source. */
export class MatchChances {
  readonly #all: MatchChances | undefined;
  readonly #newest: number;
  readonly #chances: Float64Array;

  /** Chances of one text, which begin with what `all` texts have taught so far and teach them too; or those of all texts. */
  constructor(all?: MatchChances) {
    this.#all = all;
    this.#newest = all === undefined ? NEWEST.all : NEWEST.text;
    this.#chances = Float64Array.from({ length: LONG_MATCH + 1 }, (_, matched) => all?.of(matched) ?? first(matched));
  }

  /** The chance behind a match of `matched` tokens. */
  of(matched: number): number {
    return this.#chances[Math.min(matched, LONG_MATCH)] as number;
  }

  learn(matched: number, isRight: boolean): void {
    this.#all?.learn(matched, isRight);
    this.#chances[Math.min(matched, LONG_MATCH)] =
      this.of(matched) + this.#newest * (Number(isRight) - this.of(matched));
  }
}

function first(matched: number): number {
  const { none, short, long } = FIRST;
  if (matched < SHORT_MATCH) return none + ((short - none) * matched) / SHORT_MATCH;
  return short + ((long - short) * (matched - SHORT_MATCH)) / (LONG_MATCH - SHORT_MATCH);
}
