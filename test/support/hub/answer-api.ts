// The hub's API: what a model is, its tree, search; and its refusals.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { commitOf, isLfs, type Repository } from './repository.js';
import type { TestHub } from './test-hub.js';

/** Answers `/api/models…`. */
export function answerApi(hub: TestHub, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', hub.url);
  if (url.pathname === '/api/models') return search(hub, url, response);
  const [, id = '', kind, rest = ''] =
    /^\/api\/models\/([^/]+\/[^/]+)(?:\/(revision|tree)\/(.+))?$/.exec(url.pathname) ?? [];
  const revision = decodeURIComponent(rest);
  const repository = findRepository(hub, decodeURIComponent(id), request, response);
  if (repository === undefined) return;
  if (kind !== undefined && !isRevision(repository, revision)) {
    return refuse(response, 404, 'RevisionNotFound', `Invalid rev id: ${revision}`);
  }
  if (kind === 'tree') return tree(hub, repository, url, response);
  sendJson(response, 200, describe(repository));
}

/** The repository if this request may know of it; else it is answered. */
export function findRepository(
  hub: TestHub,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): Repository | undefined {
  const repository = hub.repositories.get(id);
  const { authorization } = request.headers;
  if (authorization !== undefined && authorization !== `Bearer ${hub.token}`) {
    refuse(response, 401, undefined, 'Invalid credentials in Authorization header');
    return undefined;
  }
  if (repository === undefined || (repository.isPrivate === true && authorization === undefined)) {
    const status = authorization === undefined ? 401 : 404;
    refuse(
      response,
      status,
      'RepoNotFound',
      authorization === undefined ? 'Invalid username or password.' : 'Repository not found',
    );
    return undefined;
  }
  if (repository.movedTo !== undefined) {
    response.writeHead(307, { location: (request.url ?? '').replace(id, repository.movedTo) }).end();
    return undefined;
  }
  return repository;
}

/** Whether it has such a commit, branch or tag. */
export function isRevision(repository: Repository, revision: string): boolean {
  return ['main', 'HEAD', commitOf(repository)].includes(revision);
}

/** An error as the hub tells it. */
export function refuse(response: ServerResponse, status: number, code: string | undefined, message: string): void {
  const headers = { ...(code !== undefined && { 'x-error-code': code }), 'x-error-message': message };
  sendJson(response, status, { error: message }, headers);
}

/** A JSON body. */
export function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

function describe(repository: Repository): Record<string, unknown> {
  const { id, license, gated = false, isPrivate = false, files } = repository;
  return {
    _id: '0'.repeat(24),
    id,
    modelId: id,
    sha: commitOf(repository),
    private: isPrivate,
    gated: gated ? 'manual' : false,
    downloads: 12,
    likes: 3,
    lastModified: '2026-11-01T10:00:00.000Z',
    tags: license === undefined ? [] : [`license:${license}`],
    ...(license !== undefined && { cardData: { license } }),
    siblings: [...files.keys()].map((rfilename) => ({ rfilename })),
  };
}

function tree(hub: TestHub, repository: Repository, url: URL, response: ServerResponse): void {
  const entries = [...repository.files].map(([path, content]) => ({
    type: 'file',
    oid: content.oid,
    size: content.sizeBytes,
    path,
    ...(isLfs(repository, path, content) && {
      lfs: { oid: content.sha256, size: content.sizeBytes, pointerSize: 134 },
    }),
  }));
  sendPage(hub, entries, url, response);
}

function search(hub: TestHub, url: URL, response: ServerResponse): void {
  const words = (url.searchParams.get('search') ?? '').toLowerCase();
  const found = [...hub.repositories.values()].filter(
    ({ id, isPrivate }) => isPrivate !== true && id.toLowerCase().includes(words),
  );
  const limit = Number(url.searchParams.get('limit') ?? 1_000);
  sendPage(hub, found.slice(0, limit).map(describe), url, response);
}

function sendPage(hub: TestHub, items: readonly unknown[], url: URL, response: ServerResponse): void {
  const start = Number(url.searchParams.get('cursor') ?? 0);
  const end = start + hub.pageItems;
  const next = new URL(url);
  next.searchParams.set('cursor', String(end));
  const headers = end < items.length ? { link: `<${next.href}>; rel="next"` } : {};
  sendJson(response, 200, items.slice(start, end), headers);
}
