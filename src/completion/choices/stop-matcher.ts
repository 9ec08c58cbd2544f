import { present } from '../../base/index.js';

interface Node {
  readonly next: Map<number, Node>;
  readonly depth: number;
  /** The longest proper suffix of this node's text that also starts a stop string. */
  suffix: Node | undefined;
  /** The longest stop string that ends here; '' for none. */
  match: string;
}

/**
 * Finds stop strings in text that comes in pieces, and holds back only a possible beginning of one. Linear in the text
 * however many strings there are. Source: Aho and Corasick 1975, "Efficient string matching", over UTF-16 units.
 */
export class StopMatcher {
  readonly #root: Node;
  readonly #keepStop: boolean;
  #node: Node;
  #held = '';
  #hit = '';

  /** `keepStop`: the stop string itself counts as text before it. */
  constructor(stops: readonly string[], keepStop = false) {
    this.#root = build(stops);
    this.#keepStop = keepStop;
    this.#node = this.#root;
  }

  /** The stop string that was found; text after it is dropped. '' before that. */
  get hit(): string {
    return this.#hit;
  }

  /** Takes more text; returns the text that is certain to come before any stop string. */
  push(text: string): string {
    if (this.#hit !== '') return '';
    const all = this.#held + text;
    let node = this.#node;
    for (let i = this.#held.length; i < all.length; i++) {
      node = step(this.#root, node, all.charCodeAt(i));
      if (node.match === '') continue;
      this.#hit = node.match;
      this.#held = '';
      return all.slice(0, this.#keepStop ? i + 1 : i + 1 - node.match.length);
    }
    this.#node = node;
    this.#held = all.slice(all.length - node.depth);
    return all.slice(0, all.length - node.depth);
  }

  /** The text held back; no more text follows. */
  flush(): string {
    const held = this.#held;
    this.#held = '';
    this.#node = this.#root;
    return held;
  }
}

function step(root: Node, from: Node, unit: number): Node {
  for (let node: Node | undefined = from; node !== undefined; node = node.suffix) {
    const next = node.next.get(unit);
    if (next !== undefined) return next;
  }
  return root;
}

function build(stops: readonly string[]): Node {
  const root = createNode(0);
  for (const stop of stops) {
    let node = root;
    for (let i = 0; i < stop.length; i++) {
      const unit = stop.charCodeAt(i);
      const next = node.next.get(unit) ?? createNode(i + 1);
      node.next.set(unit, next);
      node = next;
    }
    node.match = stop;
  }
  // Breadth first, so that the suffixes of shorter texts are known.
  const queue = [root];
  for (let i = 0; i < queue.length; i++) {
    const node = present(queue[i], 'i is below the length');
    for (const [unit, child] of node.next) {
      child.suffix = node === root ? root : step(root, present(node.suffix, 'set before its children'), unit);
      child.match ||= child.suffix.match;
      queue.push(child);
    }
  }
  return root;
}

function createNode(depth: number): Node {
  return { next: new Map(), depth, suffix: undefined, match: '' };
}
