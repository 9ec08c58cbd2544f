import { parse, tokenize } from '@huggingface/jinja';
import { assert } from '../base/index.js';
import { operators, trimFilter } from './operators.js';
import { boundOperand } from './bounded-interpreter.js';
import { joinBounded } from './limits.js';
import { toPythonText } from './python-text.js';
import { toRuntimeFunction } from './runtime-values.js';
import { indentFilter, joinFilter, replaceFilter, stringMethods } from './string-methods.js';
import { toJsonFilter } from './to-json.js';

// The library has no way to add a string method, or to say how values print. A template can call functions of its
// environment, though, so calls and printed expressions are turned into calls of ours before it runs.

type Node = Record<string, unknown>;

const PRINT = '__print';
/** Filters that support fewer values in the library, or print numbers differently, and the functions that replace them. */
const FILTERS: ReadonlyMap<string, string> = new Map([
  ['string', PRINT],
  ['tojson', '__tojson'],
  ['join', '__join'],
  ['indent', '__indent'],
  ['replace', '__replace'],
]);
/** Filters of the same kind that are given the value itself. */
const RAW_FILTERS: ReadonlyMap<string, string> = new Map([['trim', '__trim']]);
/** Comparisons that make a chain: `1 < x < 3`. */
const ORDERS: ReadonlySet<unknown> = new Set(['<', '<=', '>', '>=']);
/** Methods that the library has and does right as long as they get no argument. */
const RIGHT_WITHOUT_ARGUMENTS: ReadonlySet<string> = new Set(['strip', 'lstrip', 'rstrip']);
/** Keys of a node with statements; an expression among them is printed. */
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
  [PRINT]: (values: unknown) => (Array.isArray(values) ? joinBounded(values.map(toPythonText), '') : ''),
  __tojson: toJsonFilter,
  __join: joinFilter,
  __indent: indentFilter,
  __replace: replaceFilter,
  __trim: toRuntimeFunction(trimFilter),
  ...Object.fromEntries(Array.from(operators.values(), ({ name, run }) => [name, toRuntimeFunction(run)])),
  ...Object.fromEntries(Array.from(stringMethods, ([name, method]) => [methodFunction(name), method])),
};

/**
 * Changes a parsed template in place so that it behaves as in Python. It prints values that way (`True`, `None`,
 * `['a']`), also through `~` and the filters `string`, `join` and `tojson`. It adds and compares as Python does, and
 * has the methods of `stringMethods`.
 */
export function rewriteTemplate(program: object): void {
  const open: unknown[] = [program];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (isNode(node)) applyAsExpression(node);
    // Children first on the stack: a node is changed only after its content was found.
    if (node instanceof Map) open.push(...node.keys(), ...node.values());
    else open.push(...(Object.values(node) as unknown[]));
    if (!isNode(node)) continue;
    boundTexts(node);
    redirectMethod(node);
    redirectText(node);
    redirectOperator(node);
    for (const name of BODIES) printExpressions(node[name]);
  }
}

/** `{% filter name %}` gets its filter as that of an expression, whose text the interpreter puts in (`FilteredBlock`). */
function applyAsExpression(node: Node): void {
  if (node['type'] !== 'FilterStatement' || node['applied'] !== undefined) return;
  const applied = parseExpression("'' | safe");
  node['text'] = applied['operand'];
  node['applied'] = { ...applied, filter: node['filter'] };
  delete node['filter'];
}

/** Marks the operands of filters, methods and slices that take a text apart. */
function boundTexts({ type, callee, filter, operand, property, object }: Node): void {
  if (type === 'FilterExpression') boundOperand(operand, nameOf(filter));
  if (type === 'MemberExpression' && isNode(property) && property['type'] === 'SliceExpression')
    boundOperand(object, 'slice');
  if (type === 'CallExpression' && isNode(callee) && callee['type'] === 'MemberExpression')
    boundOperand(callee['object'], nameOf(callee['property']));
}

/** The name of a filter or a method, with arguments or without. */
function nameOf(node: unknown): string {
  if (!isNode(node)) return '';
  return node['type'] === 'CallExpression' ? nameOf(node['callee']) : String(node['value']);
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

/** `a ~ b` becomes `__print([a, b])`, `a | filter(…)` `__filter([a], …)`: the node turns into another in place. */
function redirectText(node: Node): void {
  const { type, operator, filter } = node;
  if (type === 'BinaryExpression' && isNode(operator) && operator['value'] === '~') {
    Object.assign(node, callWithList(PRINT, [node['left'], node['right']]));
  }
  if (type !== 'FilterExpression' || !isNode(filter)) return;
  const called = filter['type'] === 'CallExpression' ? filter['callee'] : filter;
  const name = isNode(called) && called['type'] === 'Identifier' ? FILTERS.get(String(called['value'])) : undefined;
  const { args = [] } = filter;
  if (name !== undefined && Array.isArray(args)) Object.assign(node, callWithList(name, [node['operand']], args));
  const raw = isNode(called) && called['type'] === 'Identifier' ? RAW_FILTERS.get(String(called['value'])) : undefined;
  if (raw !== undefined && Array.isArray(args)) Object.assign(node, callWith(raw, [node['operand'], ...args]));
}

/** `a == b` becomes `__equal(a, b)`, and `a < b < c` becomes `a < b and b < c`. */
function redirectOperator(node: Node): void {
  const { type, operator, left, right } = node;
  const symbol = type === 'BinaryExpression' && isNode(operator) ? operator['value'] : undefined;
  const ours = typeof symbol === 'string' ? operators.get(symbol) : undefined;
  if (ours === undefined) return;
  const before = isNode(left) && left['type'] === 'BinaryExpression' && isNode(left['operator']) ? left : undefined;
  const isChain = ORDERS.has(symbol) && isNode(before?.['operator']) && ORDERS.has(before['operator']['value']);
  if (before === undefined || !isChain) Object.assign(node, callWith(ours.name, [left, right]));
  else
    Object.assign(node, parseExpression('0 and 0'), {
      left: before,
      right: callWith(ours.name, [before['right'], right]),
    });
}

function printExpressions(body: unknown): void {
  if (!Array.isArray(body)) return;
  body.forEach((statement: unknown, index) => {
    if (isNode(statement) && EXPRESSIONS.has(statement['type'])) body[index] = callWithList(PRINT, [statement]);
  });
}

/** The syntax of `name([parts…], args…)`, made by the library itself: it does not export its classes. */
function callWithList(name: string, parts: readonly unknown[], args: readonly unknown[] = []): Node {
  const call = parseExpression(`${name}([])`);
  const [list] = Array.isArray(call['args']) ? (call['args'] as unknown[]) : [];
  assert(isNode(list), 'the call was parsed with one argument');
  list['value'] = parts;
  call['args'] = [list, ...args];
  return call;
}

function callWith(name: string, args: readonly unknown[]): Node {
  return { ...parseExpression(`${name}()`), args };
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
