// Tokens with texts for the tiny model's ids, and answers that are held to grammars over them.

import { compileGrammar, createVocabulary, openVocabulary, readGbnf, readJsonSchema } from '../../src/grammar/index.js';
import type { ConstraintSpec, GrammarVocabulary, MaskMaker } from '../../src/grammar/index.js';

/** Ids without a text: the model's tags, and what ends an answer. */
export const TAGS = { end: 3, open: 11, close: 12 } as const;

const pieces = [
  ['{"', '":', '": ', ',"', ', "', '"}', '"]', 'true', 'false', 'null', 'fal', 'se', '10', '42'],
  ['ab', 'bc', 'abc', 'xy', 'the', ' the', 'name', 'na', 'me', 'code', '\n', '\n\n', '  ', 'é', '((', '))'],
].flat();

/** The texts of a vocabulary: characters, pieces, and none for tags and what is left over. */
export function textsOf(vocabSize: number): (Uint8Array | undefined)[] {
  const texts = [...Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i)), ...pieces];
  const tags: ReadonlySet<number> = new Set(Object.values(TAGS));
  let next = 0;
  return Array.from({ length: vocabSize }, (_, id) => {
    const text = tags.has(id) ? undefined : texts[next++];
    return text === undefined ? undefined : new TextEncoder().encode(text);
  });
}

/** The vocabulary with an encoder that takes the longest token each time; `maker` makes its masks. */
export function openTexts(vocabSize: number, maker?: MaskMaker): GrammarVocabulary {
  const texts = textsOf(vocabSize);
  const byText = new Map(texts.flatMap((bytes, id) => (bytes ? [[Buffer.from(bytes).toString('latin1'), id]] : [])));
  const encode = (text: string): number[] | undefined => {
    const bytes = Buffer.from(text).toString('latin1');
    const ids: number[] = [];
    for (let at = 0; at < bytes.length;) {
      let length = 4;
      while (length > 0 && !byText.has(bytes.slice(at, at + length))) length--;
      if (length === 0) return undefined;
      ids.push(byText.get(bytes.slice(at, at + length)) as number);
      at += length;
    }
    return ids;
  };
  return openVocabulary(createVocabulary(texts).toBytes(), { encode, maker });
}

const schema = {
  type: 'object',
  properties: {
    the_name_of_the_code: { type: 'string', pattern: '^[a-c]{0,6}$' },
    code: { enum: ['abc', 'ab', 42, null] },
    list: { type: 'array', items: { type: 'integer' }, maxItems: 3 },
  },
  required: ['the_name_of_the_code', 'list'],
  additionalProperties: false,
};
const ends = { endTokenIds: [TAGS.end] };

/** Texts of a schema, of brackets within brackets, and of a grammar that reads each text in many ways. */
export const grammarSpecs: readonly Extract<ConstraintSpec, { kind: 'grammar' }>[] = [
  { kind: 'grammar', id: 'schema', grammar: compileGrammar(readJsonSchema(schema).grammar), ...ends },
  { kind: 'grammar', id: 'brackets', grammar: compileGrammar(readGbnf('root ::= "(" root ")" root | [ab]*')), ...ends },
  {
    kind: 'grammar',
    id: 'many ways',
    grammar: compileGrammar(readGbnf('root ::= root root | "ab" | "a" | "b" | "abc"')),
    ...ends,
  },
];

/** A grammar of a few lines whose texts can be read in so many ways that they are not followed for long. */
const HOSTILE = String.raw`root ::= s "!"
s ::= | c?
b ::= [a-z]{0,3}* c ( | b (.)){0,9}
c ::= ([a-z] s c) b | | [a-z]{1,} s`;

export const hostileSpec: Extract<ConstraintSpec, { kind: 'grammar' }> = {
  kind: 'grammar',
  id: 'hostile',
  grammar: compileGrammar(readGbnf(HOSTILE)),
  ...ends,
};
