// The slow twin of compiled grammars: J. Earley, An efficient context-free parsing algorithm, CACM 13 (1970), straight from
// the text of a grammar. It shares no code with the product.

import type { Expression, Grammar } from '../../src/grammar/index.js';

/** A byte, or a symbol with productions as -1 - its number. */
type Part = number;

/** Productions of each symbol. */
type Productions = Part[][][];

const symbol = (index: number): Part => -1 - index;
const indexOf = (part: Part): number => -1 - part;

/** A grammar as plain productions, without those that derive no text. */
class Plain {
  readonly productions: Productions = [];
  readonly start: number;

  constructor({ rules, start }: Grammar) {
    rules.forEach(() => this.productions.push([]));
    rules.forEach((rule, index) => this.productions[index]?.push([this.#symbolOf(rule)]));
    this.start = start;
    this.#prune();
  }

  /** Whether the symbol has any text. */
  isProductive(index: number): boolean {
    return (this.productions[index]?.length ?? 0) > 0;
  }

  #add(...productions: Part[][]): Part {
    return symbol(this.productions.push(productions) - 1);
  }

  #symbolOf(expression: Expression): Part {
    switch (expression.kind) {
      case 'bytes':
        return this.#add([...expression.bytes]);
      case 'sequence':
        return this.#add(expression.parts.map((part) => this.#symbolOf(part)));
      case 'choice':
        return this.#add(...expression.options.map((option) => [this.#symbolOf(option)]));
      case 'repeat':
        return this.#repeat(this.#symbolOf(expression.of), expression.min, expression.max);
      case 'rule':
        return symbol(expression.rule);
      case 'regular':
        return this.#dfa(expression.dfa);
    }
  }

  #repeat(of: Part, min: number, max: number | undefined): Part {
    const rest: Part[] = Array.from({ length: min }, () => of);
    if (max === undefined) {
      const many = this.#add([]);
      this.productions[indexOf(many)]?.push([of, many]);
      return this.#add([...rest, many]);
    }
    return this.#add(
      ...Array.from({ length: max - min + 1 }, (_, i) => [...rest, ...Array.from({ length: i }, () => of)]),
    );
  }

  #dfa({ classOf, numClasses, transitions, accepting }: Extract<Expression, { kind: 'regular' }>['dfa']): Part {
    const symbols = Array.from(accepting, () => this.#add());
    symbols.forEach((own, state) => {
      const productions = this.productions[indexOf(own)];
      if (accepting[state] === 1) productions?.push([]);
      for (let byte = 0; byte < 256; byte++) {
        const next = transitions[state * numClasses + (classOf[byte] ?? 0)] ?? -1;
        if (next >= 0) productions?.push([byte, symbols[next] ?? 0]);
      }
    });
    return symbols[0] ?? this.#add();
  }

  #prune(): void {
    const productive = new Set<number>();
    const derives = (production: readonly Part[]): boolean =>
      production.every((part) => part >= 0 || productive.has(indexOf(part)));
    for (let size = -1; size !== productive.size;) {
      size = productive.size;
      this.productions.forEach((all, index) => all.some(derives) && productive.add(index));
    }
    this.productions.forEach((all, index) => (this.productions[index] = all.filter(derives)));
  }
}

/** How much of which production of a symbol has been read, and since which byte. */
interface Item {
  readonly of: number;
  readonly production: readonly Part[];
  readonly dot: number;
  readonly from: number;
}

/** Item sets, one for each byte so far and one before the first. */
type Chart = readonly (readonly Item[])[];

/** A grammar as Earley walks it; the state of a text is its chart. */
export class Earley {
  readonly #plain: Plain;

  constructor(grammar: Grammar) {
    this.#plain = new Plain(grammar);
  }

  /** Whether the grammar has any text. */
  get hasTexts(): boolean {
    return this.#plain.isProductive(this.#plain.start);
  }

  start(): Chart {
    const { productions, start } = this.#plain;
    const items = (productions[start] ?? []).map((production) => ({ of: start, production, dot: 0, from: 0 }));
    return [this.#close([], items)];
  }

  /** The text with `bytes` more; undefined where none goes on like this. */
  advance(chart: Chart, bytes: Iterable<number>): Chart | undefined {
    let reached = chart;
    for (const byte of bytes) {
      const last = reached.at(-1) ?? [];
      const read = last.filter(({ production, dot }) => production[dot] === byte);
      if (read.length === 0) return undefined;
      reached = [
        ...reached,
        this.#close(
          reached,
          read.map((item) => ({ ...item, dot: item.dot + 1 })),
        ),
      ];
    }
    return reached;
  }

  canEnd(chart: Chart): boolean {
    return (chart.at(-1) ?? []).some(
      ({ of, production, dot, from }) => of === this.#plain.start && from === 0 && dot === production.length,
    );
  }

  /** Predicts and completes until nothing is added. */
  #close(before: Chart, kernel: readonly Item[]): Item[] {
    const items: Item[] = [];
    const seen = new Map<readonly Part[], Set<string>>();
    const add = (item: Item): boolean => {
      const known = seen.get(item.production) ?? new Set();
      seen.set(item.production, known);
      // Two symbols never share a production: it is the same array for one of them only.
      const key = `${item.dot} ${item.from}`;
      if (known.has(key)) return false;
      known.add(key);
      items.push(item);
      return true;
    };
    kernel.forEach(add);
    for (let isChanged = true; isChanged;) {
      isChanged = false;
      for (const { of, production, dot, from } of items) {
        const part = production[dot];
        if (part === undefined) {
          const waiting = from === before.length ? items : (before[from] ?? []);
          for (const item of waiting) {
            if (item.production[item.dot] === symbol(of) && add({ ...item, dot: item.dot + 1 })) isChanged = true;
          }
        } else if (part < 0) {
          for (const next of this.#plain.productions[indexOf(part)] ?? []) {
            if (add({ of: indexOf(part), production: next, dot: 0, from: before.length })) isChanged = true;
          }
        }
      }
    }
    return items;
  }
}
