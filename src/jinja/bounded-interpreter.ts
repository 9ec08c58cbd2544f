import { Interpreter } from '@huggingface/jinja';
import { checkListLength, checkTextLength, MAX_SPLIT_LENGTH, conversationTooLarge } from './limits.js';
import type { RuntimeValue } from './runtime-values.js';

/** Filters and methods that take a text of any allowed length: they make no list of its characters. */
const WHOLE_TEXT: ReadonlySet<string> = new Set(
  (
    'strip lstrip rstrip trim startswith endswith removeprefix removesuffix find rfind ' +
    'split replace indent tojson length count string safe default d int float'
  ).split(' '),
);

/** Nodes whose text is taken apart. */
const apart = new WeakSet<object>();

/** Marks an operand of the filter or method `name`, so that its text is refused when it is too long for that. */
export function boundOperand(operand: unknown, name: string): void {
  if (typeof operand === 'object' && operand !== null && !WHOLE_TEXT.has(name)) apart.add(operand);
}

type Node = object | undefined;

/** The library's interpreter, whose declarations name files without their endings, so that Node's rules find no types. */
interface JinjaInterpreter {
  run(program: object): RuntimeValue;
  /** The value of a node; also called for each node inside it. */
  evaluate(node: Node, environment: object): RuntimeValue;
}
const LibraryInterpreter: new (environment: object) => JinjaInterpreter = Interpreter;

/** `{% filter name %}` as `rewriteTemplate` leaves it. */
interface FilteredBlock {
  readonly type: 'FilterStatement';
  readonly body: readonly Node[];
  /** The filter, applied to `text`. */
  readonly applied: Node;
  /** A literal, which becomes the text of `body`. */
  readonly text: { value: unknown };
}

/** An interpreter that refuses values beyond the limits, at each step. */
export class BoundedInterpreter extends LibraryInterpreter {
  override evaluate(node: Node, environment: object): RuntimeValue {
    const result = isFilteredBlock(node) ? this.#filter(node, environment) : super.evaluate(node, environment);
    const held = result.value;
    if (typeof held === 'string') {
      if (held.length > MAX_SPLIT_LENGTH) {
        checkTextLength(held.length);
        if (node !== undefined && apart.has(node))
          throw conversationTooLarge('text to be taken apart', held.length, MAX_SPLIT_LENGTH);
      }
    } else if (Array.isArray(held)) checkListLength(held.length);
    return result;
  }

  #filter({ body, applied, text }: FilteredBlock, environment: object): RuntimeValue {
    const { value } = this.evaluate({ type: 'Program', body }, environment);
    text.value = value;
    return this.evaluate(applied, environment);
  }
}

function isFilteredBlock(node: unknown): node is FilteredBlock {
  return typeof node === 'object' && node !== null && 'applied' in node;
}
