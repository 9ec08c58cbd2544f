/** A piece of a line with its kind. */
export interface Word {
  readonly kind: 'plain' | 'key' | 'text' | 'value' | 'comment' | 'mark';
  readonly text: string;
}

const KEY = /^(\s*(?:- +)*)([\w.-]+|'[^']*'|"[^"]*")(:)(?=\s|$)/;
const WORD =
  /(\s#.*$|^#.*$)|('(?:[^']|'')*'|"(?:[^"\\]|\\.)*")|(?<=^|[\s[{,:])(true|false|null|~|-?\d[\d_]*(?:\.\d+)?)(?=$|[\s,\]}])|([[\]{},]|^\s*- )/g;

/** Splits one line of YAML into pieces. It knows no other lines, so multi-line texts are plain. */
export function toWords(line: string): readonly Word[] {
  const [whole, before, key, colon] = KEY.exec(line) ?? [];
  const words: Word[] = [];
  const add = (kind: Word['kind'], text: string | undefined): void => {
    if (text !== undefined && text !== '') words.push({ kind, text });
  };
  if (whole !== undefined) {
    add('mark', before);
    add('key', key);
    add('mark', colon);
  }
  const rest = line.slice(whole?.length ?? 0);
  let end = 0;
  for (const match of rest.matchAll(WORD)) {
    const [text, comment, quoted, value] = match;
    add('plain', rest.slice(end, match.index));
    add(
      comment !== undefined ? 'comment' : quoted !== undefined ? 'text' : value !== undefined ? 'value' : 'mark',
      text,
    );
    end = match.index + text.length;
  }
  add('plain', rest.slice(end));
  return words;
}
