import { createHash } from 'node:crypto';
import { AppError, systemClock } from '../../base/index.js';
import { fieldOf, type UpstreamAnswer } from '../../relay/index.js';
import { invalidAnswer, unreachable } from '../http/failures.js';
import { toRefusal } from '../http/refusals.js';
import type { HubAnswer, HubTransport } from '../http/transport.js';
import { contentMismatch, type FileLink, type LinkOptions } from './file-link.js';

/** Why a file must be fetched in another way. Thrown between the parts of a download, and never out of it. */
export class FetchChange extends Error {
  /** `no_ranges`: the server sends whole files only. `changed`: it has another version than the parts are of. */
  readonly kind: 'no_ranges' | 'changed';
  /** The server's name of its version. */
  readonly etag: string | null;

  constructor(kind: FetchChange['kind'], etag: string | null) {
    super(kind);
    this.kind = kind;
    this.etag = etag;
  }
}

/** Bytes of a file to fetch. */
export interface FetchOptions {
  readonly start: number;
  readonly end: number;
  /** The ETag of the version that the other parts belong to; null: not known yet. */
  readonly etag: string | null;
  readonly link: FileLink;
  readonly transport: HubTransport;
  readonly about: LinkOptions;
  readonly signal: AbortSignal;
  /** The server refused with 403 or 429. */
  readonly onRefused: () => void;
  /** The server's name of the current version; null without a strong tag. */
  readonly onEtag: (etag: string | null) => void;
  /** Bytes of the range in order, several pieces at once where they come fast; none beyond its end. */
  readonly onBytes: (pieces: readonly Uint8Array[]) => Promise<void>;
}

/** Pieces that are handed on together: for each the system wakes a thread to write, and another to hash. */
const BATCH_BYTES = 512 * 1024;
/** How long a piece may wait for others. A slow connection has each of its pieces handed on as it comes. */
const BATCH_MS = 50;

/**
 * Fetches a range once. Resolves when all of it has arrived. Errors: FetchChange; the others of a hub; the reason of
 * the signal. After `hub_unreachable` and `hub_throttled` another try continues behind the received bytes.
 * `hub_content_mismatch` means that the size differs.
 */
export async function fetchRange(options: FetchOptions): Promise<void> {
  const { start, end, etag, link, transport, signal } = options;
  const url = await link.get(signal);
  const fields: [string, string][] = [['range', `bytes=${start}-${end - 1}`]];
  // RFC 9110, 13.1.5: without it a server with another version would send its bytes as if they fitted.
  if (etag !== null) fields.push(['if-range', etag]);
  const answer = await transport.send({ url, method: 'GET', fields, signal, followsAway: true });
  try {
    await checkStatus(answer, url, options);
    options.onEtag(readStrongTag(answer));
    await takeBody(answer, options);
  } finally {
    await answer.body.return?.();
  }
}

/** Fetches the whole file from a server without ranges. Errors: as `fetchRange`. */
export async function fetchWhole(options: Omit<FetchOptions, 'start' | 'etag'>): Promise<void> {
  const { link, transport, signal } = options;
  const url = await link.get(signal);
  const answer = await transport.send({ url, method: 'GET', signal, followsAway: true });
  try {
    if (answer.status !== 200) throw await toFailure(answer, url, options);
    await takeBody(answer, { ...options, start: 0 });
  } finally {
    await answer.body.return?.();
  }
}

async function checkStatus(answer: HubAnswer, link: URL, options: FetchOptions): Promise<void> {
  const { status, url, fields } = answer;
  const found = readStrongTag(answer);
  const { etag, start, end, about } = options;
  const { sizeBytes, path } = about.file;
  if (status === 200) {
    const isOther = etag !== null && found !== etag;
    throw new FetchChange(isOther ? 'changed' : 'no_ranges', found);
  }
  if (status === 416) throw contentMismatch(path, `the storage has no bytes ${start}-${end - 1} of it`);
  if (status !== 206) throw await toFailure(answer, link, options);
  const [, from, to, total] =
    /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16}|\*)$/.exec(fieldOf(fields, 'content-range') ?? '') ?? [];
  if (total !== undefined && total !== '*' && Number(total) !== sizeBytes) {
    throw contentMismatch(path, `the storage has ${total} bytes, and the tree of the hub ${sizeBytes}`);
  }
  if (Number(from) !== start || Number(to) !== end - 1) throw invalidAnswer(url.host, 'another range than requested');
  if (etag !== null && found !== null && found !== etag) throw new FetchChange('changed', found);
}

/** The error of an answer without bytes. A storage that refuses its link has forgotten it. */
async function toFailure(
  answer: HubAnswer,
  url: URL,
  { link, about, onRefused }: Pick<FetchOptions, 'link' | 'about' | 'onRefused'>,
): Promise<AppError> {
  const { status } = answer;
  const { endpoint, token } = about.settings;
  if (status === 403 || status === 429) onRefused();
  if (!link.isHome(answer.url) && [401, 403, 404, 410].includes(status)) {
    await link.drop(url);
    return unreachable(answer.url.host, `its link has expired (status ${status})`, { status, isExpired: 'yes' });
  }
  const asked = { repo: about.repo, revision: about.commit, path: about.file.path };
  const asker = link.isHome(answer.url) ? endpoint : answer.url.origin;
  return toRefusal(answer, asked, { endpoint: asker, hasToken: token !== undefined });
}

async function takeBody(
  { body, url, fields }: HubAnswer,
  { start, end, onBytes }: Pick<FetchOptions, 'start' | 'end' | 'onBytes'>,
): Promise<void> {
  const told = readDigest(fields);
  const sum = told === undefined ? undefined : createHash('sha256');
  let at = start;
  let [batch, batchBytes, batchMs] = [[] as Uint8Array[], 0, 0];
  const handOn = async (): Promise<void> => {
    const pieces = batch;
    [batch, batchBytes] = [[], 0];
    if (pieces.length > 0) await onBytes(pieces);
  };
  try {
    for await (const piece of body) {
      const wanted = piece.subarray(0, end - at);
      sum?.update(wanted);
      at += wanted.length;
      const nowMs = systemClock.nowMs();
      if (batch.length === 0) batchMs = nowMs;
      batch.push(wanted);
      batchBytes += wanted.length;
      if (batchBytes >= BATCH_BYTES || nowMs - batchMs >= BATCH_MS) await handOn();
      if (at === end) break;
    }
  } finally {
    // Bytes that arrived before an answer broke, or was abandoned, are kept.
    await handOn();
  }
  if (at < end) throw unreachable(url.host, 'the answer ended early');
  if (sum !== undefined && sum.digest('base64') !== told) throw unreachable(url.host, DAMAGED);
}

/** Why the bytes of this answer are dropped: their digest differs from the sender's. */
export const DAMAGED = 'damaged on the way';

/** The SHA-256 of the content of one answer, in base64. Source: RFC 9530. */
function readDigest(fields: UpstreamAnswer['fields']): string | undefined {
  return /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(fieldOf(fields, 'content-digest') ?? '')?.[1];
}

/** An entity tag that If-Range may have: a weak one proves nothing of bytes. */
function readStrongTag({ fields }: UpstreamAnswer): string | null {
  const etag = fieldOf(fields, 'etag');
  return etag !== undefined && /^"[\x21\x23-\x7e]{1,512}"$/.test(etag) ? etag : null;
}
