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
          const check = (deltas: ReturnType<typeof parser.push>, isTag: boolean): void => {
            const end = pushed.length - parser.pending;
            const text = deltas.map((delta) => (delta.type === 'toolCall' ? '' : delta.text)).join('');
            expect(end).toBeGreaterThanOrEqual(done);
            // A tag takes itself out of what comes with it.
            const passed = pushed.slice(done, end);
            expect(['', passed]).toContain(isTag && passed.startsWith(text) ? '' : text);
            done = end;
          };
          for (const text of pieces.flatMap((one) => split(one, asTags ? dialect.tags : []))) {
            pushed += text.special ?? text.text;
            check(parser.push(text), text.special !== undefined);
          }
          check(parser.end(), false);
          expect(parser.pending).toBe(0);
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
