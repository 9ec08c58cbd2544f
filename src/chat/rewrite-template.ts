import { parse, tokenize } from '@huggingface/jinja';
import { assert } from '../base/index.js';
import { toPythonText } from './python-text.js';
import { stringMethods } from './string-methods.js';

// The library has no way to add a string method, or to say how values print. A template can call functions of its
// environment, though, so calls and printed expressions are turned into calls of ours before it runs.

type Node = Record<string, unknown>;

const PRINT = '__print';
/** Methods that the library has and does right as long as they get no argument. */
const RIGHT_WITHOUT_ARGUMENTS: ReadonlySet<string> = new Set(['strip', 'lstrip', 'rstrip']);
/** Where a node keeps statements; an expression among them is printed. */
const BODIES = ['body', 'alternate', 'defaultBlock'] as const;
const EXPRESSIONS: ReadonlySet<unknown> = new Set([
  'Identifier',
  'MemberExpression',
  'CallExpression',
  'BinaryExpression',
  'FilterExpression',
  'TestExpression',
  'UnaryExpression',
  'SelectExpression',
  'Ternary',
  'ArrayLiteral',
  'TupleLiteral',
  'ObjectLiteral',
  'IntegerLiteral',
  'FloatLiteral',
]);

/** The functions that a rewritten template calls, by name. */
export const rewriteFunctions: Readonly<Record<string, unknown>> = {
  [PRINT]: (values: unknown) => (Array.isArray(values) ? values.map(toPythonText).join('') : ''),
  ...Object.fromEntries(Array.from(stringMethods, ([name, method]) => [methodFunction(name), method])),
};

/**
 * Changes a parsed template in place so that it prints as Python does (`True`, `None`, `['a']`), also through `~` and the
 * filter `string`, and so that the methods of `stringMethods` work.
 */
export function rewriteTemplate(program: object): void {
  const open: unknown[] = [program];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    // Children first on the stack: a node is changed only after what it holds was found.
    if (node instanceof Map) open.push(...node.keys(), ...node.values());
    else open.push(...(Object.values(node) as unknown[]));
    if (!isNode(node)) continue;
    redirectMethod(node);
    redirectText(node);
    for (const name of BODIES) printExpressions(node[name]);
  }
}

/** `text.method(…)` becomes `__string_method(text, …)`. */
function redirectMethod(node: Node): void {
  const { type, callee, args } = node;
  if (type !== 'CallExpression' || !isNode(callee) || !Array.isArray(args)) return;
  const { property } = callee;
  if (callee['type'] !== 'MemberExpression' || callee['computed'] === true || !isNode(property)) return;
  const name = String(property['value']);
  if (!stringMethods.has(name) || (args.length === 0 && RIGHT_WITHOUT_ARGUMENTS.has(name))) return;
  node['args'] = [callee['object'], ...(args as unknown[])];
  node['callee'] = parseExpression(methodFunction(name));
}

/** `a ~ b` and `a | string` become `__print([a, b])` and `__print([a])`: the node turns into another in place. */
function redirectText(node: Node): void {
  const { operator, filter } = node;
  let parts: unknown[] | undefined;
  if (node['type'] === 'BinaryExpression' && isNode(operator) && operator['value'] === '~')
    parts = [node['left'], node['right']];
  if (
    node['type'] === 'FilterExpression' &&
    isNode(filter) &&
    filter['type'] === 'Identifier' &&
    filter['value'] === 'string'
  ) {
    parts = [node['operand']];
  }
  if (parts !== undefined) Object.assign(node, printCall(parts));
}

function printExpressions(body: unknown): void {
  if (!Array.isArray(body)) return;
  body.forEach((statement: unknown, index) => {
    if (isNode(statement) && EXPRESSIONS.has(statement['type'])) body[index] = printCall([statement]);
  });
}

/** The syntax of `__print([…])` around `parts`, made by the library itself: it does not export its classes. */
function printCall(parts: readonly unknown[]): Node {
  const call = parseExpression(`${PRINT}([])`);
  const [list] = Array.isArray(call['args']) ? (call['args'] as unknown[]) : [];
  assert(isNode(list), 'the call was parsed with one argument');
  list['value'] = parts;
  return call;
}

function parseExpression(source: string): Node {
  const [expression] = parse(tokenize(`{{ ${source} }}`)).body;
  assert(isNode(expression), 'an expression parses to one node');
  return expression;
}

function methodFunction(method: string): string {
  return `__string_${method}`;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}
