/**
 * Characters of two columns: those of East Asian scripts, full-width forms and emoji. Source: Unicode UAX 11;
 * JavaScript's expressions know the scripts but not the widths.
 */
const WIDE =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
/** Characters of no column: marks on the character before, joiners and directions. */
const WIDTHLESS = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u;

/** Columns of a screen that one character takes: 0, 1 or 2. */
export function columnsOfCharacter(character: string): 0 | 1 | 2 {
  if (character < '\u0300') return 1;
  if (WIDTHLESS.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Columns that a text of one line takes. */
export function columnsOfText(text: string): number {
  let columns = 0;
  for (const character of text) columns += columnsOfCharacter(character);
  return columns;
}
