import { listAt, MODELS_PATH, textAt } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

const TEMPLATES = '/v1/template/list';

/** TabbyAPI (github.com/theroyallab/tabbyAPI, common/auth.py). It asks for a key unless its user turned that off. */
export const tabbyapi: RuntimeKind = {
  title: 'TabbyAPI',
  ports: [5000],
  probes: ['/v1/model', TEMPLATES, MODELS_PATH],
  basePath: '',
  sharesPrefixCache: false,
  prove(evidence) {
    // Any server with a key answers 401 below /v1; these words are its own.
    if (textAt(evidence.json('/v1/model', 401), 'detail') === 'Please provide an API key') {
      return { by: 'GET /v1/model asks for a key in words of its own', needsKey: true };
    }
    const models = evidence.models(MODELS_PATH);
    const templates = evidence.json(TEMPLATES);
    const names = listAt(templates, 'data');
    const isList = textAt(templates, 'object') === 'list' && names.every((name) => typeof name === 'string');
    if (models === undefined || !isList || names.length === 0) return undefined;
    return { by: `GET ${TEMPLATES} lists names of templates`, models };
  },
};
