import { readdirSync } from 'node:fs';
import type { ErrorData } from '../errors.js';

/**
 * Usual folders at the root, for machines where they cannot be listed. Source: the Filesystem Hierarchy Standard 3.0,
 * and macOS.
 */
const USUAL_FOLDERS = 'Users Volumes data etc home media mnt opt private root run srv tmp usr var'.split(' ');

/** Characters of a path within a message; any other ends it. */
const PART = String.raw`[^\s"'\`:;,()<>]`;
const DRIVE_PATH = new RegExp(String.raw`\b[A-Za-z]:\\${PART}*`, 'g');

/**
 * An error for clients over a network: its message and details keep only the last name of each absolute path of this
 * machine. A path that is also a detail is found in the message literally, even with spaces; other paths end at a
 * space.
 */
export function hidePaths({ code, message, details }: ErrorData): ErrorData {
  const find = createFinder();
  const hide = (text: string): string => text.replace(find, lastName).replace(DRIVE_PATH, lastName);
  let hidden = message;
  for (const value of Object.values(details)) {
    if (typeof value !== 'string' || value.search(find) !== 0) continue;
    hidden = hidden.replaceAll(value, lastName(value));
  }
  const shown = Object.entries(details).map(([name, value]) => {
    if (typeof value !== 'string') return [name, value];
    return [name, value.search(find) === 0 ? lastName(value) : hide(value)];
  });
  return { code, message: hide(hidden), details: Object.fromEntries(shown) as ErrorData['details'] };
}

/** Finds absolute paths. A path's first folder exists on this machine; that of an API's path or a JSON pointer does not. */
function createFinder(): RegExp {
  const folders = rootFolders().map((name) => name.replace(/[^\w-]/g, String.raw`\$&`));
  return new RegExp(String.raw`(?<![\w.~/:-])/(?:${folders.join('|')})(?![^\s/"'\`:;,()<>])(?:/${PART}*)?`, 'g');
}

function lastName(path: string): string {
  const names = path.split(/[/\\]/).filter((name) => name !== '');
  return names.at(-1) ?? path;
}

function rootFolders(): readonly string[] {
  try {
    return [...new Set([...readdirSync('/'), ...USUAL_FOLDERS])];
  } catch {
    return USUAL_FOLDERS;
  }
}
