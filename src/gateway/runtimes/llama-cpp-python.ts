import { MODELS_PATH, textAt, versionAt } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

/** The server of the Python package llama-cpp-python (github.com/abetlen/llama-cpp-python, llama_cpp/server/app.py). */
export const llamaCppPython: RuntimeKind = {
  title: 'llama-cpp-python',
  ports: [8000],
  probes: ['/openapi.json', MODELS_PATH],
  basePath: '',
  sharesPrefixCache: false,
  prove(evidence) {
    const document = evidence.json('/openapi.json');
    if (textAt(document, 'info', 'title')?.endsWith('llama.cpp Python API') !== true) return undefined;
    return {
      by: 'GET /openapi.json has the title llama.cpp Python API',
      version: versionAt(document, 'info', 'version'),
      models: evidence.models(MODELS_PATH),
      needsKey: evidence.isLocked(MODELS_PATH),
    };
  },
};
