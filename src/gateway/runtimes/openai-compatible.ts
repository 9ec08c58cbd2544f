import { MODELS_PATH } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

/** Paths that no server answers with its list of models. */
const OTHERS = ['/api/version', '/props', '/openapi.json'] as const;

/** Anything else with OpenAI's list of models. It is the last one. */
export const openaiCompatible: RuntimeKind = {
  title: 'OpenAI-compatible server',
  // vLLM's neighbours, Xinference, LMDeploy, Aphrodite and exo among them.
  ports: [8000, 8081, 5002, 9997, 23333, 2242, 52415, 8020],
  probes: [MODELS_PATH, ...OTHERS],
  basePath: '',
  sharesPrefixCache: false,
  prove(evidence) {
    const listed = evidence.answer(MODELS_PATH);
    const models = evidence.models(MODELS_PATH);
    if (models !== undefined) {
      const isAlike = OTHERS.every((path) => evidence.answer(path)?.body === listed?.body);
      if (isAlike) return { contradiction: 'it gives the same answer to every path' };
      return { by: `GET ${MODELS_PATH} is a list of models`, models };
    }
    if (evidence.wantsKey(MODELS_PATH)) return { by: `GET ${MODELS_PATH} asks for a key`, needsKey: true };
    if (listed?.status !== 200) return undefined;
    const type = listed.contentType === '' ? 'no type' : listed.contentType.slice(0, 64);
    // The answer is JSON but no list: an API answered. A web page claims nothing.
    if (listed.json() === undefined) {
      return { other: `it is not a model server: GET ${MODELS_PATH} is a page (${type})` };
    }
    return { contradiction: `GET ${MODELS_PATH} has status 200 and is no list of models (${type})` };
  },
};
