/** Words of a parsed template. */
export interface TemplateWords {
  /** Its names, and its texts as a whole: texts that it may compare with its inputs, or look up in them. */
  readonly known: ReadonlySet<string>;
  /** Texts that it looks for: operands of comparisons, arguments of functions, filters and tests, values of variables. */
  readonly sought: readonly string[];
  /** Of these the arguments of `replace` and `split`: texts that it may cut out of another. */
  readonly cutters: readonly string[];
}

const CUTTING: ReadonlySet<string> = new Set(['replace', 'split', 'rsplit', 'splitlines']);
const COMPARISONS: ReadonlySet<unknown> = new Set(['in', 'not in', '==', '!=']);

/** A node and its parent. */
interface Found {
  readonly node: unknown;
  readonly isSought: boolean;
  readonly isArgument: boolean;
}

/** Reads the words of a template as @huggingface/jinja parses it. */
export function readTemplateWords(program: object): TemplateWords {
  const known = new Set<string>();
  const sought: string[] = [];
  const cutters = new Set<string>();
  const open: Found[] = [{ node: program, isSought: false, isArgument: false }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, isSought, isArgument } = next;
    if (!isObject(node)) continue;
    const type: unknown = Reflect.get(node, 'type');
    const value: unknown = Reflect.get(node, 'value');
    if ((type === 'Identifier' || type === 'StringLiteral') && typeof value === 'string') {
      known.add(value);
      if (type === 'StringLiteral' && isSought) sought.push(value);
      if (type === 'StringLiteral' && isArgument && value !== '') cutters.add(value);
    }
    if (nameOf(node) === 'splitlines') cutters.add('\n');
    const entries = node instanceof Map ? [...node] : Object.entries(node);
    for (const [key, child] of entries) {
      const isInner = !isBody(key);
      open.push({ node: key, isSought, isArgument });
      open.push({
        node: child,
        isSought: seeks(node, type, key) || (isSought && isInner),
        isArgument: isCallArgument(type, key) ? cuts(node) : isArgument && isInner,
      });
    }
  }
  return { known, sought, cutters: [...cutters] };
}

/** Whether the value of a node under `key` is compared, or passed to a function or a variable. */
function seeks(node: object, type: unknown, key: unknown): boolean {
  if (type === 'BinaryExpression') {
    const operator: unknown = Reflect.get(node, 'operator');
    return typeof operator === 'object' && operator !== null && COMPARISONS.has(Reflect.get(operator, 'value'));
  }
  return isCallArgument(type, key) || (type === 'Set' && key === 'value');
}

/** Whether a call is of a method or a filter that takes parts out of a text. */
function cuts(call: object): boolean {
  const callee: unknown = Reflect.get(call, 'callee');
  const named = nameOf(callee) ?? (isObject(callee) ? nameOf(Reflect.get(callee, 'property')) : undefined);
  return named !== undefined && CUTTING.has(named);
}

function nameOf(node: unknown): string | undefined {
  return isObject(node) && Reflect.get(node, 'type') === 'Identifier' ? String(Reflect.get(node, 'value')) : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isCallArgument(type: unknown, key: unknown): boolean {
  return key === 'args' && type !== 'Macro';
}

/** Statements within a statement: their output is not searched for. */
function isBody(key: unknown): boolean {
  return key === 'body' || key === 'alternate' || key === 'defaultBlock';
}
