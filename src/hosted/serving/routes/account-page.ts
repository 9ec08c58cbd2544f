import { AppError } from '../../../base/index.js';
import { answerWith, type PageFile } from '../../../endpoint/index.js';
import type { HostedRoute } from '../hosted-route.js';

/** The path of the page. Its document names its files relative to it: the page works below any base path. */
const PATH = '/account';

/** `GET /account/`: the page with which the owner of a key sees its account. It uses nothing but the API. */
export const accountPage: HostedRoute = {
  method: 'GET',
  path: PATH,
  summary: 'The account page.',
  async handle({ request, context }) {
    // Without the slash its files would be sought beside it.
    if (!request.path.endsWith('/')) return { status: 308, headers: { location: '.' + PATH + '/' } };
    return answerWith(required(context.accountPage?.document), request.headers);
  },
};

/** Its scripts and styles, by names with the hashes of their content. */
export const accountPageFile: HostedRoute = {
  method: 'GET',
  path: `${PATH}/assets/{file}`,
  summary: 'A file of the account page.',
  handle: async ({ params, context, request }) =>
    answerWith(required(context.accountPage?.assets.get(params['file'] ?? '')), request.headers),
};

/** Errors: `not_found_error`. */
function required(file: PageFile | undefined): PageFile {
  if (file !== undefined) return file;
  throw new AppError('not_found_error', 'the account page has no such file; load the page again');
}
