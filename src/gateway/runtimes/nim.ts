import { MODELS_PATH, versionAt } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

/** NVIDIA NIM for language models (docs.nvidia.com/nim). It is vLLM inside, so it comes before that. */
export const nim: RuntimeKind = {
  title: 'NVIDIA NIM',
  ports: [8000],
  probes: ['/v1/version', MODELS_PATH],
  basePath: '',
  sharesPrefixCache: false,
  prove(evidence) {
    const said = evidence.json('/v1/version');
    const release = versionAt(said, 'release');
    if (release === undefined || versionAt(said, 'api') === undefined) return undefined;
    return { by: 'GET /v1/version has release and api', version: release, models: evidence.models(MODELS_PATH) };
  },
};
