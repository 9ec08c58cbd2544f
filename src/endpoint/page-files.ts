import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { AppError, hasErrorCode, locate } from '../base/index.js';
import type { HttpResponse } from '../http/index.js';

/** The files of a page as complete answers, prepared once. */
export interface PageFiles {
  /** `/`: the document. It refers to the assets by names with hashes. */
  readonly document: PageFile;
  /** `/service-worker.js`, if the page has one. */
  readonly worker: PageFile | undefined;
  /** `/assets/…` by file name. Each name contains the hash of its file. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

/** One file with its headers. */
export interface PageFile {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent if the name changes with the content. */
  readonly etag?: string;
}

/** A page has a handful of files; a folder with more is not a page. */
const MAX_FILES = 64;
const MAX_FILE_BYTES = 1024 * 1024;

const TYPES: ReadonlyMap<string, string> = new Map([
  ['css', 'text/css; charset=utf-8'],
  ['html', 'text/html; charset=utf-8'],
  ['js', 'text/javascript; charset=utf-8'],
  ['svg', 'image/svg+xml'],
]);

/**
 * The policy of a page. It may load its own files and connect to its own server. It may not use inline scripts or
 * styles, frames around it, or other servers. Source: Content Security Policy Level 3.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SAFE: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Cached for a year, longer than any page stays open. Source: RFC 8246. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Reads the page that the build wrote to `folder`, such as `dist/pages/chat/`. Undefined: there is no page. Errors:
 * `internal_error` for a folder that is not a page, those of reading files.
 */
export async function readPageFiles(folder: string | URL): Promise<PageFiles | undefined> {
  const directory = typeof folder === 'string' ? locate(folder) : folder;
  const html = await readOptional(new URL('index.html', directory));
  if (html === undefined) return undefined;
  const worker = await readOptional(new URL('service-worker.js', directory));
  const place = new URL('assets/', directory);
  const names = await readdir(place);
  if (names.length > MAX_FILES) throw notPage(`${names.length} files; the limit is ${MAX_FILES}`);
  const assets = await Promise.all(
    names.map(async (name) => [name, toAsset(name, await readFile(new URL(name, place)))] as const),
  );
  return {
    document: toChecked('index.html', html, { vary: 'accept' }),
    worker: worker && toChecked('service-worker.js', worker, {}),
    assets: new Map(assets),
  };
}

/** Answers with a file, or with 304 if the browser has it. */
export function answerWith({ body, headers, etag }: PageFile, sent: ReadonlyMap<string, string>): HttpResponse {
  const known = sent.get('if-none-match')?.split(',') ?? [];
  const isKnown = etag !== undefined && known.some((each) => each.trim().replace(/^W\//, '') === etag);
  return isKnown ? { status: 304, headers } : { status: 200, headers, body };
}

/** A file with a constant name. Browsers revalidate it on each use. */
function toChecked(name: string, body: Uint8Array, more: Readonly<Record<string, string>>): PageFile {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const headers = { ...SAFE, ...more, 'content-type': typeOf(name, body), 'cache-control': 'no-cache', etag };
  return { body, headers, etag };
}

function toAsset(name: string, body: Uint8Array): PageFile {
  return { body, headers: { ...SAFE, 'content-type': typeOf(name, body), 'cache-control': FOR_EVER } };
}

function typeOf(name: string, { length }: Uint8Array): string {
  const type = TYPES.get(name.slice(name.lastIndexOf('.') + 1));
  if (type === undefined) throw notPage(`the file ${name}, which is none of ${[...TYPES.keys()].join(', ')}`);
  if (length > MAX_FILE_BYTES) throw notPage(`${name} of ${length} bytes; the limit is ${MAX_FILE_BYTES}`);
  return type;
}

async function readOptional(file: URL): Promise<Uint8Array | undefined> {
  return readFile(file).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  });
}

function notPage(what: string): AppError {
  return new AppError('internal_error', `the folder of a page has ${what}; build the package again`);
}
