import { parse, tokenize } from '@huggingface/jinja';

// The library does not support `{% with a = 1 %} … {% endwith %}`. Its tokens become an `if` that begins with `set`
// statements. After parsing, the names set within get unique ones, which do not exist outside.

type Token = ReturnType<typeof tokenize>[number];
type Node = Record<string, unknown>;

/** Test of the `if` of a `with`, followed by the number of its statements that are assignments. */
const MARK = '__with_';
/** Before a name that is local to a `with`. No template can write it. */
const LOCAL = '\u0000with';
const OPENING: ReadonlySet<string> = new Set(['OpenParen', 'OpenSquareBracket', 'OpenCurlyBracket']);
const CLOSING: ReadonlySet<string> = new Set(['CloseParen', 'CloseSquareBracket', 'CloseCurlyBracket']);
/** Parts of a node that name something else than a variable. */
const NO_VARIABLES: ReadonlyMap<unknown, ReadonlySet<string>> = new Map([
  ['FilterExpression', new Set(['filter'])],
  ['FilterStatement', new Set(['filter'])],
  ['TestExpression', new Set(['test'])],
  ['KeywordArgumentExpression', new Set(['key'])],
]);

/** The tokens with every `with` as an `if` and its assignments as `set`. Throws for assignments that are none. */
export function withToIf(tokens: readonly Token[]): Token[] {
  const all: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const [open, word] = [tokens[at], tokens[at + 1]];
    const statement = open?.type === 'OpenStatement' && word?.type === 'Identifier' ? word.value : undefined;
    if (open === undefined) break;
    if (statement === 'with') {
      const end = endOfStatement(tokens, at);
      const assignments = splitAssignments(tokens.slice(at + 2, end));
      all.push(...statementOf(`if ${MARK}${assignments.length}`));
      for (const assignment of assignments)
        all.push(open, like(word, 'set'), ...assignment, ...tokens.slice(end, end + 1));
      at = end;
    } else if (statement === 'endwith') {
      all.push(open, like(word, 'endif'));
      at++;
    } else all.push(open);
  }
  return all;
}

/** Replaces the marks of `withToIf` in a parsed template by scopes. In place. */
export function lowerWith(program: object): void {
  let count = 0;
  const visit = (value: unknown): void => {
    if (!isObject(value)) return;
    // Inner ones first: their names are others then.
    for (const child of childrenOf(value)) visit(child);
    if (isNode(value)) lower(value, `${LOCAL}${count++}_`);
  };
  visit(program);
}

function lower(node: Node, prefix: string): void {
  const { type, test, body } = node;
  const mark = type === 'If' && isNode(test) && test['type'] === 'Identifier' ? String(test['value']) : '';
  if (!mark.startsWith(MARK) || !Array.isArray(body)) return;
  node['test'] = expressionOf('1');
  const statements: unknown[] = body;
  const assignments = statements.slice(0, Number(mark.slice(MARK.length)));
  const rest = statements.slice(assignments.length);
  const targets = assignments.flatMap((each) => (isNode(each) ? [each['assignee']] : []));
  const named = namesIn(targets);
  // Names set in the body are its own too, and begin with their outside values.
  const set = [...namesSetIn(rest)].filter((name) => !named.has(name));
  const names = new Set([...named, ...set]);
  rename(targets, names, prefix);
  rename(rest, names, prefix);
  node['body'] = [...assignments, ...set.map((name) => copyOf(name, prefix + name)), ...rest];
}

/** `{% set local = name %}`. */
function copyOf(name: string, local: string): unknown {
  const [statement] = parse(tokenize('{% set a = b %}')).body as unknown[];
  if (!isNode(statement)) return undefined;
  for (const [key, value] of [
    ['assignee', local],
    ['value', name],
  ] as const) {
    const part = statement[key];
    if (isNode(part)) part['value'] = value;
  }
  return statement;
}

/** Names that statements set, not counting attributes of namespaces, and what macros set in themselves. */
function namesSetIn(statements: readonly unknown[]): Set<string> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (!isObject(value) || (isNode(value) && (value['type'] === 'Macro' || value['type'] === 'For'))) return;
    if (isNode(value) && value['type'] === 'Set') for (const name of namesIn([value['assignee']])) names.add(name);
    for (const child of childrenOf(value)) visit(child);
  };
  for (const statement of statements) visit(statement);
  return names;
}

/** The names of targets: `a`, and `a, b`. */
function namesIn(targets: readonly unknown[]): Set<string> {
  return new Set(
    targets.flatMap((target) => {
      if (!isNode(target)) return [];
      if (target['type'] === 'Identifier') return [String(target['value'])];
      const items =
        target['type'] === 'TupleLiteral' && Array.isArray(target['value']) ? (target['value'] as unknown[]) : [];
      return [...namesIn(items)];
    }),
  );
}

/** Renames variables in `value` and below. A parameter of a macro is another variable in it. */
function rename(value: unknown, names: ReadonlySet<string>, prefix: string): void {
  if (!isObject(value) || names.size === 0) return;
  if (!isNode(value)) {
    for (const child of childrenOf(value)) rename(child, names, prefix);
    return;
  }
  const { type } = value;
  if (type === 'Identifier') {
    if (names.has(String(value['value']))) value['value'] = prefix + String(value['value']);
    return;
  }
  const inner = type === 'Macro' ? withoutParameters(value, names) : names;
  for (const [key, child] of Object.entries(value)) {
    if (NO_VARIABLES.get(type)?.has(key) === true) renameArguments(child, names, prefix);
    else if (type !== 'MemberExpression' || key !== 'property' || value['computed'] === true)
      rename(child, inner, prefix);
  }
}

/** Of a filter or test with arguments, these alone have variables. */
function renameArguments(value: unknown, names: ReadonlySet<string>, prefix: string): void {
  if (isNode(value) && value['type'] === 'CallExpression') rename(value['args'], names, prefix);
}

function withoutParameters(macro: Node, names: ReadonlySet<string>): ReadonlySet<string> {
  const parameters = Array.isArray(macro['args']) ? (macro['args'] as unknown[]) : [];
  const own = parameters.map((each) => (isNode(each) && isNode(each['key']) ? each['key'] : each));
  const taken = namesIn(own);
  return new Set([...names].filter((name) => !taken.has(name)));
}

/** The end of the statement that opens at `start`. */
function endOfStatement(tokens: readonly Token[], start: number): number {
  const end = tokens.findIndex((token, index) => index > start && token.type === 'CloseStatement');
  if (end === -1) throw new SyntaxError('a with statement is not closed');
  return end;
}

/** `a = 1, b, c = 2, 3`: each target and its value; a comma within brackets, or before an equals sign, divides nothing. */
function splitAssignments(tokens: readonly Token[]): Token[][] {
  const assignments: Token[][] = [];
  let current: Token[] = [];
  let [depth, hasEquals] = [0, false];
  for (const token of tokens) {
    if (OPENING.has(token.type)) depth++;
    if (CLOSING.has(token.type)) depth--;
    const isOutside = depth === 0;
    if (isOutside && token.type === 'Comma' && hasEquals) {
      assignments.push(current);
      [current, hasEquals] = [[], false];
      continue;
    }
    hasEquals ||= isOutside && token.type === 'Equals';
    current.push(token);
  }
  if (current.length > 0 || assignments.length > 0) assignments.push(current);
  const isWhole = (each: readonly Token[]): boolean =>
    each.some(({ type }, i) => type === 'Equals' && i > 0 && i < each.length - 1);
  if (assignments.every(isWhole)) return assignments;
  throw new SyntaxError('a with statement must give each of its names a value');
}

function statementOf(source: string): Token[] {
  return tokenize(`{% ${source} %}`);
}

function like(token: Token, value: string): Token {
  return { ...token, value };
}

function expressionOf(source: string): unknown {
  return (parse(tokenize(`{{ ${source} }}`)).body as unknown[])[0];
}

function childrenOf(value: object): unknown[] {
  return value instanceof Map ? [...value.keys(), ...value.values()] : (Object.values(value) as unknown[]);
}

function isNode(value: unknown): value is Node {
  return isObject(value) && 'type' in value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
