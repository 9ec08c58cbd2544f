/**
 * JSON.parse of untrusted bytes that also refuses broken UTF-8, repeated keys and nesting deeper than `maxDepth`.
 * `refuse` makes the error of what is wrong, as in "repeats a key".
 */
export function parseStrictJson(bytes: Uint8Array, maxDepth: number, refuse: (why: string) => Error): unknown {
  let text: string;
  let root: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refuse('is not UTF-8');
  }
  // Before JSON.parse, which spends a second and 36 times the memory on ten megabytes of brackets.
  const members = countMembers(text, maxDepth, refuse);
  try {
    root = JSON.parse(text);
  } catch {
    throw refuse('is not JSON');
  }
  // JSON.parse keeps the last of repeated keys: then fewer members are there than were written.
  if (membersOf(root) !== members) throw refuse('repeats a key');
  return root;
}

/** The number of colons outside of strings: one for each member of an object. */
function countMembers(text: string, maxDepth: number, refuse: (why: string) => Error): number {
  let members = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x22) i = endOfString(text, i);
    else if (unit === 0x3a) members++;
    else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > maxDepth) throw refuse(`nests deeper than ${maxDepth} levels`);
    } else if (unit === 0x7d || unit === 0x5d) depth--;
  }
  return members;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

/** Members of all objects in `value`, which is at most `maxDepth` deep. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const children: unknown[] = Object.values(value);
  let members = Array.isArray(value) ? 0 : children.length;
  for (const child of children) if (typeof child === 'object') members += membersOf(child);
  return members;
}
