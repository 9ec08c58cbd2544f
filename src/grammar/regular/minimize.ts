import { trim, type Automaton } from './automaton.js';
import type { WorkBudget } from './work-budget.js';

/** Sets of numbers below `size` that are split again and again: each set is a stretch of one array. */
class Partition {
  readonly elements: Int32Array;
  readonly setOf: Int32Array;
  readonly first: number[] = [];
  readonly past: number[] = [];
  private readonly places: Int32Array;
  private readonly marked: number[] = [];
  private readonly touched: number[] = [];

  constructor(size: number) {
    this.elements = new Int32Array(size);
    for (let i = 0; i < size; i++) this.elements[i] = i;
    this.places = this.elements.slice();
    this.setOf = new Int32Array(size);
    if (size > 0) this.addSet(0, size);
  }

  private addSet(first: number, past: number): void {
    this.first.push(first);
    this.past.push(past);
    this.marked.push(0);
  }

  /** Marks an element for the next `split`. */
  mark(element: number): void {
    const set = this.setOf[element] as number;
    const place = this.places[element] as number;
    const front = (this.first[set] as number) + (this.marked[set] as number);
    if (place < front) return;
    const other = this.elements[front] as number;
    this.elements[place] = other;
    this.places[other] = place;
    this.elements[front] = element;
    this.places[element] = front;
    if (this.marked[set] === 0) this.touched.push(set);
    this.marked[set] = (this.marked[set] as number) + 1;
  }

  /** Takes the marked elements out of their sets; the smaller part gets the new number. */
  split(): void {
    for (let set = this.touched.pop(); set !== undefined; set = this.touched.pop()) {
      const [first, past] = [this.first[set] as number, this.past[set] as number];
      const middle = first + (this.marked[set] as number);
      this.marked[set] = 0;
      if (middle === past) continue;
      const made = this.first.length;
      const takesFront = middle - first <= past - middle;
      this.addSet(takesFront ? first : middle, takesFront ? middle : past);
      if (takesFront) this.first[set] = middle;
      else this.past[set] = middle;
      for (let i = this.first[made] as number; i < (this.past[made] as number); i++) {
        this.setOf[this.elements[i] as number] = made;
      }
    }
  }

  /** Puts elements of one key into sets of their own. */
  splitBy(keyOf: (element: number) => number): void {
    const byKey = new Map<number, number[]>();
    for (const element of this.elements.slice()) {
      const key = keyOf(element);
      const found = byKey.get(key);
      if (found === undefined) byKey.set(key, [element]);
      else found.push(element);
    }
    for (const group of byKey.values()) {
      for (const element of group) this.mark(element);
      this.split();
    }
  }
}

/**
 * The least automaton of the same language; `automaton` has been trimmed. Source: Valmari and Lehtinen, Efficient
 * Minimization of DFAs with Partial Transition Functions, STACS 2008. O(transitions · log states).
 */
export function minimize(automaton: Automaton, budget: WorkBudget): Automaton {
  const { alphabet, transitions, accepting } = automaton;
  const { numClasses } = alphabet;
  const states = accepting.length;
  const edges = edgesOf(transitions);
  budget.spend(transitions.length + edges.length * 8);
  const into = incoming(edges, transitions, states);
  const blocks = new Partition(states);
  blocks.splitBy((state) => accepting[state] as number);
  const cords = new Partition(edges.length);
  cords.splitBy((i) => (edges[i] as number) % numClasses);
  for (let cord = 0, block = 1; cord < cords.first.length; cord++) {
    for (let i = cords.first[cord] as number; i < (cords.past[cord] as number); i++) {
      blocks.mark(Math.floor((edges[cords.elements[i] as number] as number) / numClasses));
    }
    blocks.split();
    for (; block < blocks.first.length; block++) {
      for (let i = blocks.first[block] as number; i < (blocks.past[block] as number); i++) {
        into(blocks.elements[i] as number, (edge) => cords.mark(edge));
      }
      cords.split();
    }
  }
  return mergeClasses(mergeStates(automaton, blocks));
}

/** The places in `transitions` that lead somewhere. */
function edgesOf(transitions: Int32Array): Int32Array {
  const edges = new Int32Array(transitions.length);
  let count = 0;
  for (let edge = 0; edge < transitions.length; edge++) if ((transitions[edge] as number) >= 0) edges[count++] = edge;
  return edges.subarray(0, count);
}

/** For a state, the indexes in `edges` of the edges that lead to it. */
function incoming(
  edges: Int32Array,
  transitions: Int32Array,
  states: number,
): (state: number, visit: (edge: number) => void) => void {
  const offsets = new Int32Array(states + 1);
  for (const edge of edges)
    offsets[(transitions[edge] as number) + 1] = (offsets[(transitions[edge] as number) + 1] as number) + 1;
  for (let i = 0; i < states; i++) offsets[i + 1] = (offsets[i + 1] as number) + (offsets[i] as number);
  const next = offsets.slice();
  const sorted = new Int32Array(edges.length);
  edges.forEach((edge, i) => {
    const to = transitions[edge] as number;
    sorted[next[to] as number] = i;
    next[to] = (next[to] as number) + 1;
  });
  return (state, visit) => {
    for (let i = offsets[state] as number; i < (offsets[state + 1] as number); i++) visit(sorted[i] as number);
  };
}

function mergeStates({ alphabet, transitions, accepting }: Automaton, blocks: Partition): Automaton {
  const { numClasses } = alphabet;
  const names = new Map<number, number>();
  const nameOf = (state: number): number => {
    const block = blocks.setOf[state] as number;
    const found = names.get(block) ?? names.size;
    names.set(block, found);
    return found;
  };
  nameOf(0);
  const rows = new Int32Array(blocks.first.length * numClasses).fill(-1);
  const ends = new Uint8Array(blocks.first.length);
  for (let block = 0; block < blocks.first.length; block++) {
    const state = blocks.elements[blocks.first[block] as number] as number;
    const name = nameOf(state);
    ends[name] = accepting[state] as number;
    for (let c = 0; c < numClasses; c++) {
      const next = transitions[state * numClasses + c] as number;
      if (next >= 0) rows[name * numClasses + c] = nameOf(next);
    }
  }
  return trim({ alphabet, transitions: rows, accepting: ends });
}

/** Classes that lead to the same states everywhere become one. */
function mergeClasses({ alphabet, transitions, accepting }: Automaton): Automaton {
  const { numClasses } = alphabet;
  const states = accepting.length;
  const known = new Map<string, number>();
  const kept: number[] = [];
  const renamed = Int32Array.from({ length: numClasses }, (_, c) => {
    const column: number[] = [];
    for (let state = 0; state < states; state++) column.push(transitions[state * numClasses + c] as number);
    const key = column.join();
    const found = known.get(key) ?? kept.push(c) - 1;
    known.set(key, found);
    return found;
  });
  if (kept.length === numClasses) return { alphabet, transitions, accepting };
  const rows = new Int32Array(states * kept.length);
  for (let state = 0; state < states; state++) {
    kept.forEach((c, to) => {
      rows[state * kept.length + to] = transitions[state * numClasses + c] as number;
    });
  }
  const starts: number[] = [];
  const classes: number[] = [];
  alphabet.classes.forEach((found, i) => {
    const to = found < 0 ? -1 : (renamed[found] as number);
    if (classes.at(-1) === to) return;
    starts.push(alphabet.starts[i] as number);
    classes.push(to);
  });
  const merged = { starts: Int32Array.from(starts), classes: Int32Array.from(classes), numClasses: kept.length };
  return { alphabet: merged, transitions: rows, accepting };
}
