/** Matches are told apart up to this length: records with changing values have changes behind as many equal tokens each. */
export const LONG_MATCH = 32;
/** From this length on, what one length teaches holds for longer ones too, until those have taught something else. */
const SURE_MATCH = 8;
/** How likely a draft token is taken to be right before any was: with no match, behind a short one, behind a long one. */
const FIRST = { none: 0.3, short: 0.5, long: 0.95 } as const;
/** The length of a match that is called short. */
const SHORT_MATCH = 3;
/** Weight of the newest draft token: of one text, and of all texts, which tell where the next text begins. */
const NEWEST = { text: 0.15, all: 0.02 } as const;
/** What a draft token behind a long match counts when the next behind one of the same length is judged. */
const FADING = 0.9;
/** All long matches together count as many draft tokens as this where one length is judged. */
const TOGETHER = 1;

/** Draft tokens behind matches of one length, older ones faded. */
interface Tally {
  made: number;
  right: number;
}

/** How likely a draft token is right, by the number of tokens before it that match those before its source. */
export class AcceptanceRates {
  readonly #all: AcceptanceRates | undefined;
  readonly #newest: number;
  /** By length; the last one of all from SURE_MATCH on. */
  readonly #rates: Float64Array;
  /** By length, of which those from SURE_MATCH on are asked. */
  readonly #tallies: Tally[] = Array.from({ length: LONG_MATCH + 1 }, () => ({ made: 0, right: 0 }));

  /** Rates of one text, which begin with what `all` texts have taught so far and teach them too; or those of all texts. */
  constructor(all?: AcceptanceRates) {
    this.#all = all;
    this.#newest = all === undefined ? NEWEST.all : NEWEST.text;
    this.#rates = Float64Array.from({ length: SURE_MATCH + 1 }, (_, matched) =>
      all === undefined ? first(matched) : all.#rateOf(matched),
    );
  }

  /** The rate behind a match of `matched` tokens. */
  of(matched: number): number {
    const rate = this.#rateOf(matched);
    if (matched < SURE_MATCH) return rate;
    const { made, right } = this.#tallyOf(matched);
    return (right + TOGETHER * rate) / (made + TOGETHER);
  }

  learn(matched: number, isRight: boolean): void {
    this.#all?.learn(matched, isRight);
    const rate = this.#rateOf(matched);
    this.#rates[Math.min(matched, SURE_MATCH)] = rate + this.#newest * (Number(isRight) - rate);
    const tally = this.#tallyOf(matched);
    tally.made = FADING * tally.made + 1;
    tally.right = FADING * tally.right + Number(isRight);
  }

  #rateOf(matched: number): number {
    return this.#rates[Math.min(matched, SURE_MATCH)] as number;
  }

  #tallyOf(matched: number): Tally {
    return this.#tallies[Math.min(matched, LONG_MATCH)] as Tally;
  }
}

function first(matched: number): number {
  const { none, short, long } = FIRST;
  if (matched < SHORT_MATCH) return none + ((short - none) * matched) / SHORT_MATCH;
  return short + ((long - short) * (matched - SHORT_MATCH)) / (SURE_MATCH - SHORT_MATCH);
}
