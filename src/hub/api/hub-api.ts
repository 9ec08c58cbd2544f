import { AppError, parseStrictJson, type Clock } from '../../base/index.js';
import { fieldOf } from '../../relay/index.js';
import { invalidAnswer } from '../http/failures.js';
import { readAnswerBody } from '../http/read-body.js';
import { toRefusal, type AskedFor } from '../http/refusals.js';
import { withRetries, type Retry } from '../http/retries.js';
import type { HubTransport } from '../http/transport.js';
import type { HubSettings } from '../settings.js';
import { isRepository, readFoundPage, readModel, readTreePage, type TreeEntry } from './answers.js';

/** A repository at one commit. */
export interface HubModel {
  /** Its id in the hub's spelling. It may differ from the requested id: repositories move. */
  readonly repo: string;
  /** Of 40 hexadecimal digits. */
  readonly commit: string;
  readonly isGated: boolean;
  /** As the hub tags it, such as `apache-2.0`. */
  readonly license: string | undefined;
}

/** A file of a repository. */
export interface HubFile {
  /** With `/`. It comes from the hub: we only make URLs of it. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Of the bytes, for files of LFS; of others git's name of the blob is known. */
  readonly hash: { readonly kind: 'sha256' | 'git-blob'; readonly hex: string };
}

/** A model that a search found. */
export interface FoundRepository {
  readonly repo: string;
  readonly downloads: number;
  readonly likes: number;
  readonly isGated: boolean;
  readonly modified: string | undefined;
  readonly tags: readonly string[];
}

/** Options of a query. */
export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/** The questions that a hub answers. */
export interface HubApi {
  /** Errors: `hub_repository_missing`, `hub_revision_missing`, `hub_gated` and the others of a hub. */
  describe(repo: string, revision: string | undefined, options?: AskOptions): Promise<HubModel>;
  /** All files of a commit. Errors: as `describe`. */
  listFiles(repo: string, commit: string, options?: AskOptions): Promise<HubFile[]>;
  /** The most downloaded models whose names have these words. Errors: those of a hub. */
  search(words: string, limit: number, options?: AskOptions): Promise<FoundRepository[]>;
}

/** Bytes of one answer: a page of 1,000 entries has some 300 KB. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** Pages and entries of one tree: the largest model repositories have some thousand files. */
const MAX_PAGES = 200;
const MAX_FILES = 100_000;
/** Nothing in these answers nests deeply. */
const JSON_LIMITS = { maxDepth: 16, maxItems: 4_000_000 };

/** The API below `transport`. */
export function createHubApi(settings: HubSettings, transport: HubTransport, clock: Clock): HubApi {
  const { endpoint, token } = settings;
  const { host, origin } = new URL(endpoint);

  const ask = async (
    url: URL,
    asked: AskedFor,
    { signal, onRetry }: AskOptions,
  ): Promise<{ value: unknown; next: URL | undefined }> => {
    refuseOffline(settings, asked);
    return withRetries(
      async () => {
        const fields = [['accept', 'application/json']] as const;
        const answer = await transport.send({ url, method: 'GET', fields, signal, followsAway: false });
        if (answer.status !== 200) {
          await answer.body.return?.();
          throw toRefusal(answer, asked, { endpoint, hasToken: token !== undefined });
        }
        const refuse = (why: string): AppError => invalidAnswer(host, why);
        const value = parseJson(await readAnswerBody(answer, MAX_ANSWER_BYTES, refuse), refuse);
        return { value, next: nextPage(fieldOf(answer.fields, 'link'), answer.url) };
      },
      { clock, signal, onRetry },
    );
  };

  /** Pages are of the hub's own origin: a link to another would take the token nowhere, and prove nothing. */
  const nextPage = (link: string | undefined, from: URL): URL | undefined => {
    const target = readNextLink(link);
    if (target === undefined) return undefined;
    const url = URL.canParse(target, from.href) ? new URL(target, from) : undefined;
    if (url?.origin !== origin) throw invalidAnswer(host, 'a link to its next page that leads elsewhere');
    return url;
  };

  return {
    async describe(repo, revision, options = {}) {
      const url = new URL(`${endpoint}/api/models/${repo}/revision/${encodeURIComponent(revision ?? 'main')}`);
      const { value } = await ask(url, { repo, revision }, options);
      const model = readModel(value);
      if (model === undefined) throw invalidAnswer(host, 'a model without an id and a commit');
      const license = model.tags?.find((tag) => tag.startsWith('license:'))?.slice('license:'.length, 200);
      const isGated = model.gated !== undefined && model.gated !== false;
      return { repo: model.id, commit: model.sha, isGated, license };
    },
    async listFiles(repo, commit, options = {}) {
      const files: HubFile[] = [];
      let url: URL | undefined = new URL(`${endpoint}/api/models/${repo}/tree/${commit}?recursive=true&expand=false`);
      for (let page = 0; url !== undefined; page++) {
        const answer: { value: unknown; next: URL | undefined } = await ask(url, { repo, revision: commit }, options);
        const entries = readTreePage(answer.value);
        if (entries === undefined) throw invalidAnswer(host, 'a tree that is no list of files');
        files.push(...entries.flatMap(toFile));
        url = answer.next;
        if (page === MAX_PAGES || files.length > MAX_FILES)
          throw invalidAnswer(host, `a tree of more than ${MAX_FILES} files`);
      }
      return files;
    },
    async search(words, limit, options = {}) {
      const url = new URL(`${endpoint}/api/models`);
      const query = { search: words, limit: String(limit), sort: 'downloads', direction: '-1', full: 'true' };
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const { value } = await ask(url, {}, options);
      // Entries whose id we cannot accept are left out.
      const found = readFoundPage(value);
      if (found === undefined) throw invalidAnswer(host, 'a search that is no list of models');
      const usable = found.filter((model) => isRepository(model.id));
      return usable.slice(0, limit).map((model) => ({
        repo: model.id,
        downloads: model.downloads ?? 0,
        likes: model.likes ?? 0,
        isGated: model.gated !== undefined && model.gated !== false,
        modified: model.lastModified,
        tags: model.tags ?? [],
      }));
    },
  };
}

/** Errors: `hub_offline`. */
export function refuseOffline({ isOffline, endpoint }: HubSettings, { repo }: AskedFor): void {
  if (!isOffline) return;
  const what = repo === undefined ? 'a search' : repo;
  const message = `${what} would have to be asked of ${endpoint}, and HF_HUB_OFFLINE forbids it; unset it, or name a model that native-engine list shows`;
  throw new AppError('hub_offline', message, { ...(repo !== undefined && { repo }) });
}

/** A file, if the entry is one and has a checksum; links, folders and submodules are not files. */
function toFile({ type, path, size, oid, lfs }: TreeEntry): HubFile[] {
  if (type !== 'file') return [];
  if (lfs !== undefined) return [{ path, sizeBytes: lfs.size, hash: { kind: 'sha256', hex: lfs.oid } }];
  if (size === undefined || oid === undefined || !/^[0-9a-f]{40}$/.test(oid)) return [];
  return [{ path, sizeBytes: size, hash: { kind: 'git-blob', hex: oid } }];
}

function parseJson(bytes: Uint8Array, refuse: (why: string) => AppError): unknown {
  return parseStrictJson(bytes, JSON_LIMITS, (why) => refuse(`its JSON ${why}`));
}

/** The target of `rel="next"` in a Link field; undefined if absent. Source: RFC 8288. */
function readNextLink(text: string | undefined): string | undefined {
  for (const [, target, rest = ''] of (text ?? '').matchAll(/<([^>]{1,4096})>([^<]*)/g)) {
    if (/;\s*rel\s*=\s*"?next"?/i.test(rest)) return target;
  }
  return undefined;
}
