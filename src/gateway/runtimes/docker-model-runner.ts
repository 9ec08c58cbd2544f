import { isOwnedBy, textAt } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

const LIST = '/engines/v1/models';

/** Docker Model Runner (docs.docker.com/ai/model-runner), which answers Ollama's API too. Its OpenAI API lies below /engines. */
export const dockerModelRunner: RuntimeKind = {
  title: 'Docker Model Runner',
  ports: [12434],
  probes: [LIST, '/api/version'],
  basePath: '/engines',
  sharesPrefixCache: false,
  prove(evidence) {
    const models = evidence.models(LIST);
    // It shows no other version, and no owner of models while it has none.
    const isOld = textAt(evidence.json('/api/version'), 'version') === '0.1.0';
    if (models === undefined || !(isOld || isOwnedBy(evidence.json(LIST), 'docker'))) return undefined;
    return { by: `GET ${LIST} is a list of models, which docker owns`, models };
  },
};
