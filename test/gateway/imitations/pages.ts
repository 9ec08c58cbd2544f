// What an imitation of a server is made of: answers by path, as its own documentation or source shows them.

/** One answer. A body that is no string is written as JSON. */
export interface Page {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A server as it answers GETs. */
export interface Imitation {
  /** The body of a path with status 200; a Page where it is more than that. */
  readonly pages: Readonly<Record<string, unknown>>;
  /** What every other path is answered. */
  readonly missing: Page;
  /** Of every answer. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A page with more than a body. */
export function page(body: unknown, rest: Omit<Page, 'body'> = {}): Page & { readonly isPage: true } {
  return { isPage: true, body, ...rest };
}

/** The page at a path. */
export function pageAt({ pages, missing }: Imitation, path: string): Page {
  if (!Object.hasOwn(pages, path)) return missing;
  const body = pages[path];
  return isPage(body) ? body : { body };
}

/** OpenAI's list of models. */
export function modelList(...models: readonly Readonly<Record<string, unknown>>[]): unknown {
  return { object: 'list', data: models.map((model) => ({ object: 'model', ...model })) };
}

/** What FastAPI answers for a path that it does not have. */
export const FASTAPI_MISSING: Page = { status: 404, body: { detail: 'Not Found' } };
/** What Go's gin and net/http answer. */
export const GO_MISSING: Page = { status: 404, type: 'text/plain', body: '404 page not found' };
/** Names itself as uvicorn does. */
export const UVICORN: Readonly<Record<string, string>> = { server: 'uvicorn' };

function isPage(body: unknown): body is Page {
  return typeof body === 'object' && body !== null && 'isPage' in body;
}
