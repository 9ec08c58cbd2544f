// The one place that finds files of the package: entry modules of threads and processes, kernels, the demo model. A
// bundler may have moved this code into a file of the application, without those files beside it. Then they come from
// the installed package, which is found as Node would find it from the bundle.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { argv } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { AppError } from './errors.js';
import { VERSION } from './version.js';

/** The path of this file in the published package; the build may join it with others of this folder. */
const OWN_PLACE = /^(file:.*\/)dist\/src\/base\/[^/]+\.js$/;

/** The position of the running code; tests replace it. */
export interface CodeLocation {
  /** `import.meta.url`. In CommonJS a bundler leaves it undefined; webpack writes the file's path at build time. */
  readonly url: string | undefined;
  /** The path of the program's main script; undefined without one. */
  readonly main: string | undefined;
}

/**
 * The URL of a file or folder of the package, by its path below the package, such as `dist/src/actor/thread-main.js`.
 * Its existence is not checked. Errors: `package_not_found`.
 */
export function locate(path: string, from?: CodeLocation): URL {
  return new URL(path, findPackage(from));
}

/** The folder of the package, with a slash at its end. Errors: `package_not_found`. */
function findPackage(from: CodeLocation = thisPlace()): string {
  const own = from.url === undefined ? undefined : OWN_PLACE.exec(from.url)?.[1];
  if (own !== undefined && existsSync(new URL('package.json', own))) return own;
  const places = placesOf(from);
  const other: string[] = [];
  for (const place of places) {
    const found = resolvePackage(place);
    if (found === undefined) continue;
    const version = versionOf(found);
    if (version === VERSION) return new URL('./', pathToFileURL(found)).href;
    other.push(`${found} is version ${version}`);
  }
  throw notFound(places, other);
}

/** Where the search for the package starts when this code is in a bundle: the bundle, then the program's main script. */
function placesOf({ url, main }: CodeLocation): string[] {
  const own = url?.startsWith('file:') === true ? [fileURLToPath(url)] : [];
  return [...new Set([...own, ...(main === undefined ? [] : [main])])];
}

function resolvePackage(place: string): string | undefined {
  try {
    return createRequire(place).resolve('troupe/package.json');
  } catch {
    return undefined;
  }
}

function versionOf(file: string): string {
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version?: unknown };
  return typeof version === 'string' ? version : 'unknown';
}

function thisPlace(): CodeLocation {
  return { url: import.meta.url, main: argv[1] };
}

function notFound(places: readonly string[], other: readonly string[]): AppError {
  const seen = other.length === 0 ? '' : `; ${other.join(' and ')}`;
  const message =
    `the files of the package troupe ${VERSION} (threads, kernels, the demo model) are not found from ` +
    `${places.join(' or ') || 'this program'}${seen}. In a program that a bundler made, install troupe ${VERSION} ` +
    'where the program runs, or copy node_modules/troupe and its dependencies to a node_modules beside the bundle';
  return new AppError('package_not_found', message, { version: VERSION });
}
