import { has, isOwnedBy, MODELS_PATH, versionAt } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

/** The server of llama.cpp (github.com/ggml-org/llama.cpp, tools/server). With a key set, its list of models stays public. */
export const llamaCpp: RuntimeKind = {
  title: 'llama.cpp',
  ports: [8080, 9931],
  probes: ['/props', MODELS_PATH],
  basePath: '',
  sharesPrefixCache: false,
  prove(evidence) {
    const props = evidence.json('/props');
    const models = evidence.models(MODELS_PATH);
    // build_info alone is copied by others.
    const isServer = has(props, 'default_generation_settings', 'total_slots') || has(props, 'chat_template_caps');
    if (has(props, 'build_info') && isServer) {
      return {
        by: 'GET /props has build_info and the settings of slots',
        version: versionAt(props, 'build_info'),
        models,
      };
    }
    if (!isOwnedBy(evidence.json(MODELS_PATH), 'llamacpp')) return undefined;
    return { by: `GET ${MODELS_PATH} has models owned by llamacpp`, models, needsKey: evidence.isLocked('/props') };
  },
};
