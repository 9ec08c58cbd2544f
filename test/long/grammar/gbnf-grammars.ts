/**
 * Grammars that both read alike. The peer (0.1.27) is no oracle for classes of characters beyond ASCII, such as
 * `[\u4e00-\u9fa5]`, of which it takes any byte, and for rules that end with a rule that may be empty: of
 * `root ::= "(" root? ")" root? | "[" root "]"` it refuses the token `()]` behind `[`.
 */
export const gbnfGrammars: readonly (readonly [name: string, gbnf: string])[] = [
  ['digits', 'root ::= [0-9]+ ("." [0-9]+)?'],
  ['words', 'root ::= word (" " word)*\nword ::= [a-z]+ | [A-Z] [a-z]*'],
  ['all but a quote', String.raw`root ::= "<" [^"<>]* ">"`],
  ['nesting', 'root ::= ("(" root ")" | "[" root "]" | "x")+'],
  [
    'JSON',
    String.raw`root ::= object
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (string ws ":" ws value ws ("," ws string ws ":" ws value ws)*)? "}"
array ::= "[" ws (value ws ("," ws value ws)*)? "]"
string ::= "\"" ([^"\\\x00-\x1F\x7F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F]))* "\""
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [+-]? [0-9]+)?
ws ::= [ \n\t]*`,
  ],
  ['arithmetic', 'root ::= term (("+" | "-") term)*\nterm ::= "(" root ")" | [0-9]+ | "x"'],
  ['a choice of words with one beginning', 'root ::= ("red" | "reddish" | "rose" | "ro" "om")+ "."'],
];

/**
 * Bytes that no text in UTF-8 has (RFC 3629, section 4), as Latin-1: where a class excludes characters the peer takes them
 * all the same.
 */
export const NO_UTF8 = /[\xc0\xc1\xf5-\xff]|\xe0[\x80-\x9f]|\xed[\xa0-\xbf]|\xf0[\x80-\x8f]|\xf4[\x90-\xbf]/;

/** Bytes as a text of Latin-1. */
export function latin1(bytes: Uint8Array = new Uint8Array()): string {
  return Buffer.from(bytes).toString('latin1');
}

/** Whether a mask has a token. */
export function isSet(mask: Uint32Array | Int32Array, id: number): boolean {
  return (((mask[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1;
}
