import { AppError } from '../../base/index.js';
import { fieldOf } from '../../relay/index.js';
import type { HubFile } from '../api/hub-api.js';
import { invalidAnswer } from '../http/failures.js';
import { toRefusal } from '../http/refusals.js';
import type { HubTransport } from '../http/transport.js';
import type { HubSettings } from '../settings.js';

/** A file of a commit, and the hub that has it. */
export interface LinkOptions {
  readonly repo: string;
  readonly commit: string;
  readonly file: HubFile;
  readonly settings: HubSettings;
  readonly transport: HubTransport;
}

/** Where the bytes of a file are. Links to a storage are signed and expire: then they are asked for anew. */
export class FileLink {
  readonly #options: LinkOptions;
  #link: Promise<URL> | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** The link, requested once for all. Errors: those of a hub; `hub_content_mismatch` if its content differs. */
  get(signal: AbortSignal): Promise<URL> {
    this.#link ??= this.#resolve(signal).catch((error: unknown) => {
      this.#link = undefined;
      throw error;
    });
    return this.#link;
  }

  /** `link` is refused: the next one is another. */
  async drop(link: URL): Promise<void> {
    const current = this.#link;
    if (current !== undefined && (await current.catch(() => undefined)) === link && this.#link === current) {
      this.#link = undefined;
    }
  }

  /** Whether a URL is the hub's own. */
  isHome({ origin }: URL): boolean {
    return origin === new URL(this.#options.settings.endpoint).origin;
  }

  async #resolve(signal: AbortSignal): Promise<URL> {
    const { repo, commit, file, settings, transport } = this.#options;
    const path = file.path.split('/').map(encodeURIComponent).join('/');
    const url = new URL(`${settings.endpoint}/${repo}/resolve/${commit}/${path}`);
    // The hub itself serves small files: their address needs no request.
    if (file.hash.kind === 'git-blob') return url;
    const answer = await transport.send({ url, method: 'HEAD', signal, followsAway: false });
    await answer.body.return?.();
    const { status, fields, location } = answer;
    if (location === undefined && status !== 200) {
      const { endpoint, token } = settings;
      throw toRefusal(answer, { repo, revision: commit, path: file.path }, { endpoint, hasToken: token !== undefined });
    }
    checkFacts(file, answer.url.host, fieldOf(fields, 'x-linked-etag'), fieldOf(fields, 'x-linked-size'));
    return location ?? answer.url;
  }
}

/**
 * The metadata of the file behind a link must equal those of the tree. Errors: `hub_content_mismatch`,
 * `hub_answer_invalid`.
 */
function checkFacts(
  { path, hash, sizeBytes }: HubFile,
  host: string,
  etag: string | undefined,
  size: string | undefined,
): void {
  const linked = etag?.replace(/^W\//, '').replace(/^"(.*)"$/, '$1');
  if (linked !== undefined && /^[0-9a-f]{64}$/.test(linked) && linked !== hash.hex) {
    throw contentMismatch(
      path,
      `the hub links SHA-256 ${linked.slice(0, 12)}…, and its tree has ${hash.hex.slice(0, 12)}…`,
    );
  }
  if (size === undefined) return;
  if (!/^\d{1,16}$/.test(size)) throw invalidAnswer(host, 'a size that is no number');
  if (Number(size) !== sizeBytes)
    throw contentMismatch(path, `the hub links ${size} bytes, and its tree has ${sizeBytes}`);
}

/** `hub_content_mismatch`. */
export function contentMismatch(path: string, why: string): AppError {
  const shown = /^[\w./-]{1,200}$/.test(path) ? path : 'a file';
  return new AppError(
    'hub_content_mismatch',
    `${shown} differs from the hub's description: ${why}; nothing of it was kept`,
    {
      why,
    },
  );
}
