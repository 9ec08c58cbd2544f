import { Catalog } from '../../catalog/catalog-entry.js';
import { SERVICE_ID_HEADER } from '../../sync/fetch-models.js';
import { authenticate } from '../authenticate.js';
import type { HostedRoute } from '../hosted-route.js';

/** `GET /v1/catalog`: every model that can be called here, with its price. */
export const catalog: HostedRoute = {
  method: 'GET',
  path: '/v1/catalog',
  summary: 'Lists every model of all providers and connected gateways, with its price.',
  response: Catalog,
  requestHeaders: { 'if-none-match': 'the etag of a catalog that is known' },
  before: authenticate,
  async handle({ request, context }) {
    const { body, etag } = await context.catalog.current();
    const headers = { etag, 'cache-control': 'private, no-cache', [SERVICE_ID_HEADER]: context.serviceId };
    const known = request.headers
      .get('if-none-match')
      ?.split(',')
      .map((one) => one.trim().replace(/^W\//, ''));
    if (known?.includes(etag) === true) return { status: 304, headers };
    return { status: 200, headers: { ...headers, 'content-type': 'application/json; charset=utf-8' }, body };
  },
};
