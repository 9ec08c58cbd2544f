import { openApiRoute, type ErrorFormat } from '../../../endpoint/index.js';
import { authenticate } from '../sessions/authenticate.js';
import type { AdminRoute, AdminSection } from '../admin-route.js';
import { audit } from './audit.js';
import { configuration } from './configuration.js';
import { keys } from './keys.js';
import { metrics } from './metrics.js';
import { models } from './models.js';
import { overview } from './overview.js';
import { page } from './page.js';
import { requests } from './requests.js';
import { runtimes } from './runtimes.js';
import { scans } from './scans.js';
import { session } from './session.js';
import { system } from './system.js';
import { usage } from './usage.js';

/** The endpoints of the admin API, by section. */
export const sections = {
  session,
  overview,
  keys,
  models,
  runtimes,
  scans,
  configuration,
  requests,
  usage,
  audit,
  metrics,
  system,
} as const satisfies Readonly<Record<string, AdminSection>>;

const TITLE = {
  title: 'Troupe private gateway: admin API',
  description:
    'What the admin page uses, and scripts may. Pages send the cookie of a session with its x-csrf-token; scripts send the ' +
    'admin token. A change of what others may change too needs If-Match.',
  securitySchemes: {
    token: { type: 'http', scheme: 'bearer', description: 'The admin token, gwa_...' },
    session: { type: 'apiKey', in: 'header', name: 'x-csrf-token', description: 'Beside the cookie of the session.' },
  },
};

/** All routes of the admin listener. It refuses a request without access before it reads a byte of the body. */
export function createAdminRoutes(build: string, errors: ErrorFormat): readonly AdminRoute[] {
  const api = Object.values(sections).flat();
  const described = openApiRoute(api, { ...TITLE, version: build }, errors, '/admin/openapi.json');
  return [...api.map(behindSession), described, ...page];
}

function behindSession(route: AdminRoute): AdminRoute {
  return route.access === 'anybody' ? route : { ...route, before: authenticate };
}
