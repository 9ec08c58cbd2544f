// Bytes of files: the hub's own for small ones, a redirect to the storage for those of LFS, and the storage.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { findRepository, isRevision, refuse } from './answer-api.js';
import type { Fault } from './faults.js';
import { commitOf, isLfs, type Content } from './repository.js';
import type { TestHub } from './test-hub.js';

/** Bytes of one write. */
const PIECE_BYTES = 256 * 1024;

/** Answers `/{org}/{name}/resolve/{revision}/{path}`. */
export async function resolveFile(hub: TestHub, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', hub.url);
  const match = /^\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(decodeURIComponent(url.pathname));
  if (match === null) return refuse(response, 404, undefined, 'Not found');
  const [, id = '', revision = '', path = ''] = match;
  const repository = findRepository(hub, id, request, response);
  if (repository === undefined) return;
  if (repository.gated === true && request.headers.authorization === undefined) {
    return refuse(response, 401, 'GatedRepo', `Access to model ${id} is restricted.`);
  }
  if (!isRevision(repository, revision))
    return refuse(response, 404, 'RevisionNotFound', `Invalid rev id: ${revision}`);
  const content = repository.files.get(path);
  if (content === undefined) return refuse(response, 404, 'EntryNotFound', 'Entry not found');
  const facts = { 'x-repo-commit': commitOf(repository), 'accept-ranges': 'bytes' };
  if (!isLfs(repository, path, content))
    return send(hub, request, response, path, content, { ...facts, etag: `"${content.oid}"` });
  const link = `${hub.linkOrigin}/${encodeURIComponent(id)}/${encodeURIComponent(path)}?epoch=${hub.linkEpoch}&sha=${content.sha256}`;
  response.writeHead(302, {
    ...facts,
    location: link,
    'x-linked-size': content.sizeBytes,
    'x-linked-etag': `"${content.sha256}"`,
    'content-length': 0,
  });
  response.end();
}

/** Answers a signed link of the storage. A token is never for it: one that comes is refused, as storages do. */
export async function answerStorage(hub: TestHub, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', hub.storageUrl);
  const [id = '', path = ''] = url.pathname.slice(1).split('/').map(decodeURIComponent);
  const content = hub.repositories.get(id)?.files.get(path);
  if (request.headers.authorization !== undefined)
    return refuse(response, 400, undefined, 'Only one auth mechanism allowed');
  if (content === undefined) return refuse(response, 404, undefined, 'NoSuchKey');
  if (url.searchParams.get('epoch') !== String(hub.linkEpoch))
    return refuse(response, 403, undefined, 'Request has expired');
  const etag = `"${content.sha256.slice(0, 32)}${hub.etagSuffix}"`;
  await send(hub, request, response, path, content, { etag, 'accept-ranges': 'bytes' });
}

async function send(
  hub: TestHub,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  content: Content,
  headers: Readonly<Record<string, string>> & { readonly etag: string },
): Promise<void> {
  const asked = readRange(request, content.sizeBytes, headers.etag);
  const { start, end } = asked ?? { start: 0, end: content.sizeBytes };
  if (request.method === 'HEAD') {
    response.writeHead(200, { ...headers, 'content-length': content.sizeBytes });
    response.end();
    return;
  }
  const number = hub.fileRequests++;
  const fault = hub.plan({ path, start, end, hasRange: asked !== undefined, number }) ?? {};
  if (fault.status !== undefined) {
    response.writeHead(fault.status, { ...fault.headers, 'content-length': 0 });
    response.end();
    return;
  }
  const isPart = asked !== undefined && fault.ignoreRange !== true;
  const range = isPart ? { start, end } : { start: 0, end: content.sizeBytes };
  const digest = hub.sendsDigests ? toDigest(content.read(range.start, range.end)) : undefined;
  const extra = fault.extraBytes ?? 0;
  response.writeHead(isPart ? 206 : 200, {
    ...headers,
    ...(isPart && { 'content-range': fault.contentRange ?? `bytes ${start}-${end - 1}/${content.sizeBytes}` }),
    ...(digest !== undefined && { 'content-digest': digest }),
    'content-length': range.end - range.start + extra,
    ...fault.headers,
  });
  await sendBytes(hub, response, path, content, range, fault);
}

function toDigest(bytes: Uint8Array): string {
  return `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
}

async function sendBytes(
  hub: TestHub,
  response: ServerResponse,
  path: string,
  content: Content,
  { start, end }: { readonly start: number; readonly end: number },
  { cutAfter = Infinity, stallAfter = Infinity, flipAt, drip, extraBytes = 0 }: Fault,
): Promise<void> {
  const stopAt = start + Math.min(cutAfter, stallAfter);
  for (let at = start; at < Math.min(end, stopAt) && !response.destroyed;) {
    const upTo = Math.min(end, stopAt, at + (drip?.bytes ?? PIECE_BYTES));
    const piece = withFlip(content.read(at, upTo), at, flipAt);
    hub.sentBytes.set(path, (hub.sentBytes.get(path) ?? 0) + piece.length);
    if (!response.write(piece)) await drained(response);
    at = upTo;
    await (drip === undefined ? setImmediate() : setTimeout(drip.everyMs));
  }
  if (stallAfter < end - start) return;
  if (cutAfter < end - start) {
    // What was written shall arrive before the connection ends.
    response.write('', () => response.destroy());
    return;
  }
  if (extraBytes > 0) response.write(Buffer.alloc(extraBytes));
  response.end();
}

function withFlip(piece: Uint8Array, at: number, flipAt: number | undefined): Uint8Array {
  if (flipAt === undefined || flipAt < at || flipAt >= at + piece.length) return piece;
  const flipped = Buffer.from(piece);
  flipped.writeUInt8(flipped.readUInt8(flipAt - at) ^ 1, flipAt - at);
  return flipped;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}

/** The range that is asked for, where it holds: If-Range wants the same entity. */
function readRange(
  request: IncomingMessage,
  sizeBytes: number,
  etag: string,
): { readonly start: number; readonly end: number } | undefined {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  if (from === undefined) return undefined;
  const ifRange = request.headers['if-range'];
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  const end = to === '' || to === undefined ? sizeBytes : Math.min(sizeBytes, Number(to) + 1);
  return { start: Number(from), end };
}
