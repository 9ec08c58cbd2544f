// Python's string methods that @huggingface/jinja lacks, or whose argument it ignores. Strings in, plain data out.

type Method = (text: string, ...parameters: unknown[]) => string | number | boolean | string[];

/** Methods by name. Methods that lists or dicts have too are absent: a call is chosen by its name alone. */
export const stringMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['strip', (text, set) => stripEnd(stripStart(text, set), set)],
  ['lstrip', stripStart],
  ['rstrip', stripEnd],
  ['removeprefix', (text, prefix) => (text.startsWith(word(prefix)) ? text.slice(word(prefix).length) : text)],
  [
    'removesuffix',
    (text, suffix) => (text.endsWith(word(suffix)) ? text.slice(0, text.length - word(suffix).length) : text),
  ],
  ['join', (text, items) => list(items).join(text)],
  ['find', (text, part) => text.indexOf(word(part))],
  ['rfind', (text, part) => text.lastIndexOf(word(part))],
  ['splitlines', (text) => text.replace(/\r\n|\r|\n$/, (end) => (end === '\n' ? '' : '\n')).split(/\r\n|\r|\n/)],
  ['capitalize', (text) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase()],
  ['swapcase', (text) => Array.from(text, (c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase())).join('')],
  ['casefold', (text) => text.replaceAll('ß', 'ss').toLowerCase()],
  ['zfill', (text, width) => zeroFill(text, Number(width))],
  ['ljust', (text, width) => text.padEnd(Number(width))],
  ['rjust', (text, width) => text.padStart(Number(width))],
  ['isdigit', (text) => /^\p{Nd}+$/u.test(text)],
  ['isalpha', (text) => /^\p{L}+$/u.test(text)],
  ['isalnum', (text) => /^[\p{L}\p{N}]+$/u.test(text)],
  ['isspace', (text) => /^\s+$/u.test(text)],
  ['isupper', (text) => text !== text.toLowerCase() && text === text.toUpperCase()],
  ['islower', (text) => text !== text.toUpperCase() && text === text.toLowerCase()],
]);

function stripStart(text: string, set: unknown): string {
  if (set === undefined || set === null) return text.trimStart();
  const drop = new Set(word(set));
  let start = 0;
  for (const character of text) {
    if (!drop.has(character)) break;
    start += character.length;
  }
  return text.slice(start);
}

function stripEnd(text: string, set: unknown): string {
  if (set === undefined || set === null) return text.trimEnd();
  const drop = new Set(word(set));
  const characters = Array.from(text);
  let end = characters.length;
  while (end > 0 && drop.has(String(characters[end - 1]))) end--;
  return characters.slice(0, end).join('');
}

function zeroFill(text: string, width: number): string {
  const sign = /^[+-]/.test(text) ? text.slice(0, 1) : '';
  return sign + text.slice(sign.length).padStart(width - sign.length, '0');
}

function word(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('a string method was given something else than a string');
  return value;
}

/** The strings of a list of the library's values, each with its own under `value`. */
function list(items: unknown): string[] {
  if (typeof items === 'string') return Array.from(items);
  if (!Array.isArray(items)) throw new TypeError('join was given something else than a list');
  return items.map((item: unknown) =>
    word(typeof item === 'object' && item !== null ? Reflect.get(item, 'value') : item),
  );
}
