import { AppError } from '../../../base/index.js';
import { answerWith, type PageFile } from '../../../endpoint/index.js';
import { adminRoute, type AdminSection } from '../admin-route.js';

const assets = adminRoute({
  method: 'GET',
  path: '/assets/{file}',
  summary: 'A file of the admin page.',
  access: 'anybody',
  handle: async ({ params, context, request }) =>
    answerWith(required(context.page?.assets.get(params['file'] ?? '')), request.headers),
});

/** The document is the same for all sections: the page reads its own address. */
const document = adminRoute({
  method: 'GET',
  path: '/',
  summary: 'The admin page.',
  access: 'anybody',
  ignoresQuery: true,
  handle: async ({ context, request }) => answerWith(required(context.page?.document), request.headers),
});

const section = adminRoute({
  method: 'GET',
  path: '/{section...}',
  summary: 'A section of the admin page.',
  access: 'anybody',
  ignoresQuery: true,
  async handle({ context, request, params }) {
    const isPage =
      /\btext\/html\b/.test(request.headers.get('accept') ?? '') && !(params['section'] ?? '').startsWith('admin/');
    if (!isPage)
      throw new AppError(
        'not_found_error',
        'there is nothing under this path; GET /admin/openapi.json lists the paths',
      );
    return answerWith(required(context.page?.document), request.headers);
  },
});

/** Errors: `not_found_error`. */
function required(file: PageFile | undefined): PageFile {
  if (file !== undefined) return file;
  throw new AppError('not_found_error', 'the admin page has no such file; load the page again');
}

/** The files of the page; they are not part of the API. */
export const page: AdminSection = [document, assets, section];
