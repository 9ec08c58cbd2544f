// Text becomes a YAML document, within limits. Duplicate keys are left to `read-fields.ts`: the parser compares each key with
// all before it, which takes minutes for a map of 100,000.
import { Composer, Lexer, LineCounter, Parser, type CST, type Document, type YAMLError } from 'yaml';
import { MAX_ALIASES, MAX_YAML_DEPTH, MAX_YAML_BYTES, MAX_LEXEMES, MAX_NODES } from '../limits.js';
import type { TextPosition, Problem } from './problems.js';

/** A text that is YAML, with any content. */
export interface YamlText {
  readonly document: Document.Parsed;
  /** The parser's tokens, with every comment. */
  readonly tokens: readonly CST.Token[];
  /** The line and column of a character. */
  readonly placeAt: (offset: number) => TextPosition;
}

/** The parser's error codes in words for the author of the file. The parser's own messages may quote the file. */
const reasons: Readonly<Record<string, string>> = {
  ALIAS_PROPS: 'an alias (*name) has an anchor or a tag; take it off',
  BAD_ALIAS: 'an alias (*name) has no anchor (&name) before it, or no name; put texts that begin with * in quotes',
  BAD_DIRECTIVE: 'a directive (%) is not known; leave it out',
  BAD_DQ_ESCAPE: 'a text in double quotes has an escape that YAML does not know; use single quotes, or write \\\\',
  BAD_INDENT:
    'the indentation does not fit the lines above; entries of one map or list begin in the same column, and brackets and braces are closed',
  BAD_PROP_ORDER: 'anchors and tags stand between the - or the colon and the value; move it there',
  BAD_SCALAR_START: 'a text begins with a character that YAML keeps for itself; put it in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'a map stands where a value should be; begin it on a line of its own, or put the value in quotes',
  BLOCK_IN_FLOW: 'within { } and [ ] entries are separated by commas, not by lines and dashes',
  IMPOSSIBLE: 'the text cannot be read as YAML',
  KEY_OVER_1024_CHARS: 'a key has more than 1,024 characters',
  MISSING_CHAR: 'a character is missing: a closing quote, bracket or brace, a comma, a colon, or a space before #',
  MULTILINE_IMPLICIT_KEY: 'a key goes over several lines; a colon may be missing, or a closing quote',
  MULTIPLE_ANCHORS: 'a value has more than one anchor (&name)',
  MULTIPLE_DOCS: 'the file has a second document (---); there may be one',
  MULTIPLE_TAGS: 'a value has more than one tag (!)',
  NON_STRING_KEY: 'a key is not a text',
  RESOURCE_EXHAUSTION: 'maps and lists are nested too deeply',
  TAB_AS_INDENT: 'a tab is used for indentation; use spaces',
  TAG_RESOLVE_FAILED: 'a value has a tag (!) that is not known, or does not fit it; leave it out',
  UNEXPECTED_TOKEN:
    'something stands here that YAML does not expect; a quote, a bracket or a comma may be missing before it',
  BAD_COLLECTION_TYPE: 'a map or a list has a tag that does not fit it; leave it out',
};

/** A text as a YAML document, or why it is none. */
export function readYaml(text: string): YamlText | readonly Problem[] {
  const whole = (message: string): readonly Problem[] => [{ line: 1, column: 1, field: '', message }];
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > MAX_YAML_BYTES) {
    return whole(`the file has ${sizeBytes} bytes; at most ${MAX_YAML_BYTES} are read`);
  }
  const lines = new LineCounter();
  const placeAt = (offset: number): TextPosition => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const { tokens, excess = findExcess(tokens) } = readTokens(text, lines);
  if (excess !== undefined) return [{ ...placeAt(excess.offset), field: '', message: excess.message }];
  const options = { schema: 'core', strict: true, uniqueKeys: false, merge: false, logLevel: 'silent' } as const;
  const [document, second] = new Composer(options).compose(tokens, true, text.length);
  if (document === undefined) return whole('the file is empty');
  const faults = [...document.errors, ...document.warnings].map((error): Problem => toProblem(error, placeAt));
  if (second !== undefined) {
    faults.push({ ...placeAt(second.range[0]), field: '', message: reasons['MULTIPLE_DOCS'] ?? '' });
  }
  if (document.directives.yaml.version !== '1.2') {
    faults.push({
      line: 1,
      column: 1,
      field: '',
      message: 'the directive %YAML asks for another version than 1.2; leave it out',
    });
  }
  return faults.length > 0 ? faults : { document, tokens, placeAt };
}

function toProblem({ code, pos }: YAMLError, placeAt: YamlText['placeAt']): Problem {
  return { ...placeAt(pos[0]), field: '', message: `this is not YAML: ${reasons[code] ?? code}` };
}

/** Visits tokens with those inside them, in the order of the file. Iterative, since the tokens may nest too deeply. */
export function* walkTokens(
  tokens: readonly CST.Token[],
): Generator<{ readonly token: CST.Token; readonly depth: number }> {
  const stack: { token: CST.Token; depth: number }[] = tokens.map((token) => ({ token, depth: 0 })).toReversed();
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    yield next;
    const { token } = next;
    const depth = 'items' in token ? next.depth + 1 : next.depth;
    const inside = childrenOf(token);
    for (let i = inside.length - 1; i >= 0; i--) {
      const child = inside[i];
      if (child !== undefined) stack.push({ token: child, depth });
    }
  }
}

function childrenOf(token: CST.Token): CST.Token[] {
  const groups: (readonly (CST.Token | null | undefined)[])[] = [];
  if ('start' in token) groups.push(Array.isArray(token.start) ? token.start : [token.start]);
  if ('props' in token) groups.push(token.props);
  if ('items' in token) {
    for (const { start, key, sep = [], value } of token.items) groups.push(start, [key], sep, [value]);
  }
  if ('value' in token) groups.push([token.value]);
  if ('end' in token && token.end) groups.push(token.end);
  return groups.flat().filter((child) => child !== null && child !== undefined);
}

/** Where a limit is passed. */
interface Excess {
  readonly offset: number;
  readonly message: string;
}

const TOO_DEEP = `maps and lists are nested deeper than ${MAX_YAML_DEPTH} levels`;

/**
 * The tokens of a text, up to a limit: the parser takes a time that grows with the square of the depth. Lists and maps nest
 * within one line by brackets, and by dashes and question marks; over several lines each level takes a column more.
 */
function readTokens(text: string, lines: LineCounter): { readonly tokens: CST.Token[]; readonly excess?: Excess } {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  lines.addNewLine(0);
  let [offset, lexemes, brackets, marks] = [0, 0, 0, 0];
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme === '[' || lexeme === '{') brackets++;
    else if (lexeme === ']' || lexeme === '}') brackets--;
    else if (lexeme === '-' || lexeme === '?') marks++;
    else if (lexeme === '\n' || lexeme === '\r\n') marks = 0;
    if (brackets + marks > MAX_YAML_DEPTH) return { tokens, excess: { offset, message: TOO_DEEP } };
    if (++lexemes > MAX_LEXEMES) {
      return { tokens, excess: { offset, message: `the file has more than ${MAX_LEXEMES} words and marks` } };
    }
    for (const token of parser.next(lexeme)) tokens.push(token);
    offset = parser.offset;
  }
  for (const token of parser.end()) tokens.push(token);
  return { tokens };
}

/** The first token past a limit. */
function findExcess(tokens: readonly CST.Token[]): Excess | undefined {
  let [aliases, nodes] = [0, 0];
  for (const { token, depth } of walkTokens(tokens)) {
    const { offset } = token;
    if (depth > MAX_YAML_DEPTH) return { offset, message: TOO_DEEP };
    if (token.type === 'alias' && ++aliases > MAX_ALIASES) {
      return { offset, message: `the file has more than ${MAX_ALIASES} aliases (*name); write the values out` };
    }
    const isNode = 'items' in token || token.type.endsWith('scalar');
    if (isNode && ++nodes > MAX_NODES) return { offset, message: `the file has more than ${MAX_NODES} values` };
  }
  return undefined;
}
