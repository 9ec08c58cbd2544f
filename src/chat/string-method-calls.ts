import { parse, tokenize } from '@huggingface/jinja';
import { present } from '../base/index.js';
import { stringMethods } from './string-methods.js';

interface MethodCall {
  callee: object;
  args: unknown[];
}

/** Methods that the library has and does right as long as they get no argument. */
const RIGHT_WITHOUT_ARGUMENTS: ReadonlySet<string> = new Set(['strip', 'lstrip', 'rstrip']);

/** The name under which a template's environment holds a string method. */
export function stringMethodName(method: string): string {
  return `__string_${method}`;
}

/**
 * Turns `text.method(...)` in a parsed template into `__string_method(text, ...)` for the methods of
 * `stringMethods`, since the library has no way to add one. Changes `program` in place.
 */
export function redirectStringMethods(program: object): void {
  const open: unknown[] = [program];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (node instanceof Map) open.push(...node.keys(), ...node.values());
    else open.push(...(Object.values(node) as unknown[]));
    const method = calledMethod(node);
    if (method !== undefined) redirect(node as MethodCall, method);
  }
}

/** The string method that `node` calls and that needs us, if it is such a call. */
function calledMethod(node: object): string | undefined {
  if (!('type' in node && node.type === 'CallExpression' && 'callee' in node && 'args' in node)) return undefined;
  const { callee, args } = node;
  if (typeof callee !== 'object' || callee === null || !Array.isArray(args)) return undefined;
  if (!('type' in callee && callee.type === 'MemberExpression' && 'property' in callee)) return undefined;
  if ('computed' in callee && callee.computed === true) return undefined;
  const { property } = callee;
  if (typeof property !== 'object' || property === null || !('value' in property)) return undefined;
  const name = String(property.value);
  if (!stringMethods.has(name) || (args.length === 0 && RIGHT_WITHOUT_ARGUMENTS.has(name))) return undefined;
  return name;
}

function redirect(call: MethodCall, method: string): void {
  call.args.unshift(Reflect.get(call.callee, 'object'));
  call.callee = identifier(stringMethodName(method));
}

/** A syntax node of the library, made by itself: it does not export the classes. */
function identifier(name: string): object {
  return present(parse(tokenize(`{{ ${name} }}`)).body[0], 'an expression parses to one node');
}
