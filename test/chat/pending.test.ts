import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dialects, type GeneratedText } from '../../src/chat/index.js';

const SPECIAL = '<|other|>';

describe.each(Object.values(dialects))('what the parser of $name says is pending', (dialect) => {
  const piece = fc.constantFrom(
    ...dialect.tags,
    SPECIAL,
    '\n',
    '{"name": "f", ',
    '"arguments": {',
    '"arguments": "{',
    '}',
    '}}',
    '<tool_ca',
    'x',
    '<',
    ' ',
    '"',
    '😀',
  );

  it('is the end of the text that may still come out: each character gives nothing or what was pending before', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        (pieces, asTags, tools, startsInReasoning) => {
          const parser = dialect.createParser({ tools, startsInReasoning });
          let pushed = '';
          let done = 0;
          const wrong: string[] = [];
          const check = (deltas: ReturnType<typeof parser.push>, isTag: boolean): void => {
            const end = pushed.length - parser.pending;
            const text = deltas.map((delta) => (delta.type === 'toolCall' ? '' : delta.text)).join('');
            const passed = pushed.slice(done, end);
            // A tag takes itself out of what comes with it.
            const given = isTag && passed.startsWith(text) ? '' : text;
            if (end < done || (given !== '' && given !== passed))
              wrong.push(`after ${JSON.stringify(pushed)}: ${JSON.stringify(given)}, ${done} to ${end} passed`);
            done = end;
          };
          for (const text of pieces.flatMap((one) => split(one, asTags ? dialect.tags : []))) {
            pushed += text.special ?? text.text;
            check(parser.push(text), text.special !== undefined);
          }
          check(parser.end(), false);
          expect([wrong, parser.pending]).toEqual([[], 0]);
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** Tags as added tokens where they are, everything else character by character. */
function split(text: string, tags: readonly string[]): GeneratedText[] {
  if (text === SPECIAL || tags.includes(text)) return [{ text: '', special: text }];
  return Array.from(text, (character) => ({ text: character }));
}
