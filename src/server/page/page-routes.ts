import { AppError } from '../../base/index.js';
import type { EngineRoute } from '../engine-route.js';
import { answerWith, type PageFile } from '../../endpoint/index.js';

/** `GET /assets/{file}`: scripts, styles and images of the chat page. */
const assets: EngineRoute = {
  method: 'GET',
  path: '/assets/{file}',
  summary: 'A file of the chat page.',
  handle: async ({ params, context, request }) =>
    answerWith(required(context.page?.assets.get(params['file'] ?? '')), request.headers),
};

/** `GET /service-worker.js`: opens the page while the server is away. Its scope is its own folder. */
const worker: EngineRoute = {
  method: 'GET',
  path: '/service-worker.js',
  summary: 'The service worker of the chat page.',
  handle: async ({ context, request }) => answerWith(required(context.page?.worker), request.headers),
};

/** The files of the chat page. They are not endpoints of the API, so its description omits them. */
export const pageRoutes: readonly EngineRoute[] = [assets, worker];

/** Errors: `not_found_error`. */
function required(file: PageFile | undefined): PageFile {
  if (file !== undefined) return file;
  throw new AppError('not_found_error', 'the chat page has no such file; load the page again');
}
