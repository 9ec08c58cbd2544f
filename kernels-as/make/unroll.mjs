// Unrolls a kernel's source: `for (const $row of …)`, which AssemblyScript does not have, becomes one copy of its body
// for each value. The README of kernels-as explains the language. Sources are laid out by the formatter, which lines
// here rely on.

import { runInNewContext } from 'node:vm';

/** Functions by their number of rows. */
const names = ['', 'oneRow', 'twoRows', 'threeRows', 'fourRows', 'fiveRows', 'sixRows'];

const loopHead = /^( *)for \(const (\$\w+|\[[^\]]+\]) of (.*)$/;
const constant = /^ *const \$([a-zA-Z]+) = (.*);$/;
const condition = /^(.*\S) *\/\/ if (.*)$/;
const variable = /\$([a-zA-Z]+)/g;
/**
 * A row's part of an address: nothing for row 0, `xStride` for row 1, then `xStride2`, `xStride3`, which a function
 * computes once.
 */
const multiple = / \+ (\d+) \* (\w*[sS]tride)\b/g;

const upTo = (end) => Array.from({ length: end }, (_, value) => value);
const downFrom = (end) => upTo(end).toReversed();
const pairs = (end) => upTo(end / 2).map((pair) => [2 * pair, 2 * pair + 1]);

/**
 * The AssemblyScript of `text`, for the numbers of rows in `rows` where it is a template of rows. `path` is for
 * messages. Throws with path and line where a loop has no end, a variable no value, or an expression cannot be
 * computed.
 */
export function unroll(text, path, rows = []) {
  const lines = text.split('\n');
  const known = { upTo, downFrom, pairs, ROWS: rows.map((number) => [number, names[number]]) };
  const written = [];
  /** Variables of the function being written, by the block that they are declared in, the innermost last. */
  const declared = [new Set()];

  writeLines(0, lines.length, new Map(), 0);
  return written.join('\n');

  /** Writes the lines from…end − 1 with the values of `outer`, `depth` loops less indented. */
  function writeLines(from, end, outer, depth) {
    const values = new Map(outer);
    for (let at = from; at < end; at++) {
      const line = lines[at];
      const [, name, expression] = constant.exec(line) ?? [];
      if (loopHead.test(line)) at = writeLoop(at, end, values, depth);
      else if (name !== undefined) values.set(name, evaluate(fill(expression, values, at), at));
      else writeLine(line, at, values, depth);
    }
  }

  /** Writes the loop that begins at line `at`, for each value of its list; returns its last line. */
  function writeLoop(at, end, values, depth) {
    let last = at;
    while (last < end && !lines[last].endsWith(') {')) last++;
    const [, indent, pattern, list] = loopHead.exec(lines.slice(at, last + 1).join(' '));
    const close = lines.indexOf(`${indent}}`, last);
    if (close < 0 || close >= end) fail(at, 'the loop has no end of the same indent');
    const variables = [...pattern.matchAll(variable)].map(([, name]) => name);
    for (const value of evaluate(fill(list.slice(0, -') {'.length), values, at), at)) {
      const turn = variables.map((name, i) => [name, variables.length === 1 ? value : value[i]]);
      writeLines(last + 1, close, new Map([...values, ...turn]), depth + 1);
    }
    return close;
  }

  function writeLine(line, at, values, depth) {
    const [, conditional, test] = condition.exec(line) ?? [];
    if (test !== undefined && !evaluate(fill(test, values, at), at)) return;
    const filled = fill(conditional ?? line, values, at).replaceAll(multiple, (_, row, stride) =>
      row === '0' ? '' : ` + ${stride}${row === '1' ? '' : row}`,
    );
    const text = declareOnce(filled);
    written.push(text.slice(Math.min(2 * depth, text.search(/\S|$/))));
  }

  /** The line; a variable that an earlier turn of a loop has declared in the same block is assigned. */
  function declareOnce(line) {
    if (/^ *\}/.test(line)) declared.pop();
    const block = declared.at(-1);
    const name = /^ *let (\w+)/.exec(line)?.[1];
    if (line.endsWith('{')) declared.push(new Set());
    if (name === undefined || block === undefined) return line;
    if (block.has(name)) return line.replace('let ', '');
    block.add(name);
    return line;
  }

  function fill(line, values, at) {
    return line.replaceAll(variable, (_, name) => {
      if (!values.has(name)) fail(at, `$${name} has no value`);
      const value = values.get(name);
      return Array.isArray(value) ? JSON.stringify(value) : String(value);
    });
  }

  function evaluate(expression, at) {
    try {
      return runInNewContext(`(${expression})`, known);
    } catch (error) {
      return fail(at, `${expression}: ${error.message}`);
    }
  }

  function fail(at, what) {
    throw new Error(`kernels-as/${path}:${at + 1}: ${what}`);
  }
}
