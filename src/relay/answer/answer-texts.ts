import { TokenEstimate } from '../usage/estimate-tokens.js';

/** Texts of one answer that are told apart. An answer of 128 choices with 16 calls each has some 2,000; more share one. */
const MAX_TEXTS = 4_096;

/** The texts of an answer under way, as tokens. What is written is not kept. */
export class AnswerTexts {
  readonly #texts = new Map<string, TokenEstimate>();
  /** Of texts that are the same in several forms: what each form has, by object and name. */
  readonly #forms = new Map<string, Map<string, number>>();
  #hundredths = 0;

  /** What all of it costs so far, in hundredths of a token. */
  get hundredths(): number {
    return this.#hundredths;
  }

  /**
   * Adds text at `place`, a path whose members are in a row. `same`: how many of them lead to an object that may have this
   * text under other names too.
   */
  add(place: readonly string[], text: string, same?: number): void {
    if (text === '') return;
    const estimate = this.#at(place.join('.'));
    const before = estimate.hundredths;
    estimate.add(text);
    const more = estimate.hundredths - before;
    if (same === undefined) this.#hundredths += more;
    else this.#addForm(place.slice(0, same).join('.'), place[same] ?? '', more);
  }

  /** Adds tokens that are none of a text. */
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

  #at(place: string): TokenEstimate {
    const key = this.#texts.size < MAX_TEXTS || this.#texts.has(place) ? place : '';
    const found = this.#texts.get(key) ?? new TokenEstimate();
    this.#texts.set(key, found);
    return found;
  }
}
