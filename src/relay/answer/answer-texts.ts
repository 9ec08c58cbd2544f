import { TokenEstimate } from '../usage/estimate-tokens.js';
import { LeastTokens } from '../usage/least-tokens.js';

/** Texts of one answer that are counted apart. An answer of 128 choices with 16 calls each has some 2,000; more share one. */
const MAX_TEXTS = 4_096;

/** One text, counted in two ways. */
interface CountedText {
  readonly estimate: TokenEstimate;
  readonly least: LeastTokens;
  readonly isThought: boolean;
}

/** Names of members with thoughts of a model: some providers do not count these towards the limit of an answer. */
const THOUGHT = /reason|think|summary/;

/** Counts the texts of an answer under way in tokens. The texts are not kept. */
export class AnswerTexts {
  readonly #texts = new Map<string, CountedText>();
  /** The tokens of each form of texts that come in several forms, by object and name. */
  readonly #forms = new Map<string, Map<string, number>>();
  #hundredths = 0;
  #least = 0;
  #leastSaid = 0;

  /** The cost of all texts so far, in hundredths of a token. */
  get hundredths(): number {
    return this.#hundredths;
  }

  /** A lower bound of the tokens of all texts, in any vocabulary. */
  get least(): number {
    return this.#least;
  }

  /** The same without thoughts. */
  get leastSaid(): number {
    return this.#leastSaid;
  }

  /**
   * Adds text at `place`, a path as a list of members. `same`: how many of them lead to an object that may repeat this
   * text under other names.
   */
  add(place: readonly string[], text: string, same?: number): void {
    if (text === '') return;
    const { estimate, least, isThought } = this.#at(place);
    const before = estimate.hundredths;
    estimate.add(text);
    const more = estimate.hundredths - before;
    const isFirstForm = same === undefined || this.#isFirstForm(place.slice(0, same).join('.'), place[same] ?? '');
    if (same === undefined) this.#hundredths += more;
    else this.#addForm(place.slice(0, same).join('.'), place[same] ?? '', more);
    if (!isFirstForm) return;
    const leastBefore = least.tokens;
    least.add(text);
    this.#least += least.tokens - leastBefore;
    if (!isThought) this.#leastSaid += least.tokens - leastBefore;
  }

  /** Adds tokens without a text. */
  addTokens(tokens: number): void {
    this.#hundredths += tokens * 100;
  }

  #addForm(object: string, name: string, more: number): void {
    const forms = this.#forms.get(object) ?? new Map<string, number>();
    if (this.#forms.size < MAX_TEXTS) this.#forms.set(object, forms);
    const before = Math.max(0, ...forms.values());
    const now = (forms.get(name) ?? 0) + more;
    forms.set(name, now);
    this.#hundredths += Math.max(0, now - before);
  }

  /** Of several forms of one text, only one counts as certain. */
  #isFirstForm(object: string, name: string): boolean {
    const [first = name] = this.#forms.get(object)?.keys() ?? [];
    return first === name;
  }

  #at(place: readonly string[]): CountedText {
    const path = place.join('.');
    const key = this.#texts.size < MAX_TEXTS || this.#texts.has(path) ? path : '';
    const found = this.#texts.get(key) ?? {
      estimate: new TokenEstimate(),
      least: new LeastTokens(),
      isThought: THOUGHT.test(key),
    };
    this.#texts.set(key, found);
    return found;
  }
}
