/** Longest match with a rate of its own: in records with changing values, every change follows equally many equal tokens. */
export const LONG_MATCH = 32;
/** From this length on, the rate of one length also serves longer ones, until these have learned something else. */
const SURE_MATCH = 8;
/** Assumed acceptance of a draft token before any was checked: without a match, after a short one, after a long one. */
const FIRST = { none: 0.3, short: 0.5, long: 0.95 } as const;
/** Longest match that counts as short. */
const SHORT_MATCH = 3;
/** Weight of the newest draft token: within one text, and over all texts, which set the start of the next text's rate. */
const NEWEST = { text: 0.15, all: 0.02 } as const;
/** Weight of a draft token after a long match when the next one after a match of the same length is judged. */
const FADING = 0.9;
/** Weight of all long matches together, in draft tokens, when one length is judged. */
const TOGETHER = 1;

/** Draft tokens after matches of one length, older ones faded. */
interface Tally {
  made: number;
  right: number;
}

/** The probability that a draft token is right, by the number of tokens before it that match those before its source. */
export class AcceptanceRates {
  readonly #all: AcceptanceRates | undefined;
  readonly #newest: number;
  /** By length; from SURE_MATCH on all share the last. */
  readonly #rates: Float64Array;
  /** By length; used from SURE_MATCH on. */
  readonly #tallies: Tally[] = Array.from({ length: LONG_MATCH + 1 }, () => ({ made: 0, right: 0 }));

  /** Rates of one text, which start from the rates of `all` texts and update these too; or the rates of all texts. */
  constructor(all?: AcceptanceRates) {
    this.#all = all;
    this.#newest = all === undefined ? NEWEST.all : NEWEST.text;
    this.#rates = Float64Array.from({ length: SURE_MATCH + 1 }, (_, matched) =>
      all === undefined ? first(matched) : all.#rateOf(matched),
    );
  }

  /** The rate after a match of `matched` tokens. */
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
