import { MODELS_PATH } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

/** LiteLLM's proxy (github.com/BerriAI/litellm, docs/proxy/health): a gateway before providers, which works as an upstream. */
export const litellm: RuntimeKind = {
  title: 'LiteLLM',
  ports: [4000],
  probes: ['/health/liveliness', MODELS_PATH],
  basePath: '',
  sharesPrefixCache: false,
  prove(evidence) {
    const alive = evidence.text('/health/liveliness')?.replaceAll('"', '');
    if (alive !== "I'm alive!") return undefined;
    return {
      by: "GET /health/liveliness says I'm alive!",
      models: evidence.models(MODELS_PATH),
      needsKey: evidence.isLocked(MODELS_PATH),
    };
  },
};
