import { MODELS_PATH, textAt, versionAt } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

/** KoboldCpp (github.com/LostRuins/koboldcpp), which answers Ollama's API too and names itself. */
export const koboldcpp: RuntimeKind = {
  title: 'KoboldCpp',
  ports: [5001],
  probes: ['/api/extra/version', MODELS_PATH],
  basePath: '',
  sharesPrefixCache: false,
  prove(evidence) {
    const said = evidence.json('/api/extra/version');
    if (textAt(said, 'result') !== 'KoboldCpp') return undefined;
    return {
      by: 'GET /api/extra/version has result KoboldCpp',
      version: versionAt(said, 'version'),
      models: evidence.models(MODELS_PATH),
      needsKey: evidence.isLocked(MODELS_PATH),
    };
  },
};
