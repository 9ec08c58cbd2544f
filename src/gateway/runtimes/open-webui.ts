import { has, versionAt } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

/** Open WebUI (github.com/open-webui/open-webui): a page before runtimes, on their ports. */
export const openWebui: RuntimeKind = {
  title: 'Open WebUI',
  ports: [3000, 8080],
  probes: ['/api/config'],
  basePath: '/api',
  sharesPrefixCache: false,
  refusal: 'it is a page before runtimes and no runtime',
  prove(evidence) {
    const config = evidence.json('/api/config');
    if (!has(config, 'deployment_id')) return undefined;
    return { by: 'GET /api/config has deployment_id', version: versionAt(config, 'version') };
  },
};
