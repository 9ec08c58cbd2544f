/** The end of the string that begins at `start` of a JSON text: its closing quote, or the end of the text. */
export function endOfJsonString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

/**
 * The source text of each member's value of an object. JSON.parse rounds numbers, forgets their notation, and moves
 * keys like "10" before all others. `text` is an object that JSON.parse accepts.
 */
export function memberSources(text: string): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  let depth = 0;
  let key: string | undefined;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x22) {
      const end = endOfJsonString(text, i);
      if (depth === 1 && key === undefined) {
        key = String(JSON.parse(text.slice(i, end + 1)));
        start = text.indexOf(':', end) + 1;
      }
      i = end;
    } else if (unit === 0x7b || unit === 0x5b) depth++;
    else if (unit === 0x7d || unit === 0x5d || unit === 0x2c) {
      if (depth === 1 && key !== undefined) {
        sources.set(key, text.slice(start, i).trim());
        key = undefined;
      }
      if (unit !== 0x2c) depth--;
    }
  }
  return sources;
}

/** The source text of each item of an array. `text` is an array that JSON.parse accepts. */
export function itemSources(text: string): readonly string[] {
  const sources: string[] = [];
  let depth = 0;
  let start = text.indexOf('[') + 1;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x22) i = endOfJsonString(text, i);
    else if (unit === 0x7b || unit === 0x5b) depth++;
    else if (unit === 0x7d || unit === 0x5d || unit === 0x2c) {
      if (depth === 1) {
        const item = text.slice(start, i).trim();
        if (item !== '') sources.push(item);
        start = i + 1;
      }
      if (unit !== 0x2c) depth--;
    }
  }
  return sources;
}
