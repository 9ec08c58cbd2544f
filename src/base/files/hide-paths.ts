import { readdirSync } from 'node:fs';
import type { ErrorData } from '../errors.js';

/** Folders at the root where they cannot be listed. Source: the Filesystem Hierarchy Standard 3.0, and macOS. */
const USUAL_FOLDERS = 'Users Volumes data etc home media mnt opt private root run srv tmp usr var'.split(' ');

/** What ends a path within a message. */
const PART = String.raw`[^\s"'\`:;,()<>]`;
const DRIVE_PATH = new RegExp(String.raw`\b[A-Za-z]:\\${PART}*`, 'g');

/** An error for clients over a network: of each absolute path of this machine its message and details keep the last name. */
export function hidePaths({ code, message, details }: ErrorData): ErrorData {
  const hide = createHide();
  const told = Object.entries(details).map(([name, value]) => [name, typeof value === 'string' ? hide(value) : value]);
  return { code, message: hide(message), details: Object.fromEntries(told) as ErrorData['details'] };
}

/** Paths are told from those of APIs and from JSON pointers by their first folder, which this machine has. */
function createHide(): (text: string) => string {
  const folders = rootFolders().map((name) => name.replace(/[^\w-]/g, String.raw`\$&`));
  const absolute = new RegExp(
    String.raw`(?<![\w.~/:-])/(?:${folders.join('|')})(?![^\s/"'\`:;,()<>])(?:/${PART}*)?`,
    'g',
  );
  return (text) => text.replace(absolute, lastName).replace(DRIVE_PATH, lastName);
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
