import { at, has, MODELS_PATH, versionAt } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

/** Ollama (github.com/ollama/ollama, server/routes.go): last of all that answer its API. */
export const ollama: RuntimeKind = {
  title: 'Ollama',
  ports: [11434],
  probes: ['/', '/api/tags', '/api/version', MODELS_PATH],
  basePath: '',
  sharesPrefixCache: false,
  prove(evidence) {
    const said = evidence.json('/api/version');
    const version = versionAt(said, 'version');
    const isRunning = evidence.text('/') === 'Ollama is running';
    const hasTags = Array.isArray(at(evidence.json('/api/tags'), 'models'));
    if (!isRunning || !hasTags || has(said, 'engine') || !/^\d+\.\d+\.\d+/.test(version ?? '')) return undefined;
    return {
      by: 'GET / says Ollama is running, and GET /api/tags has models',
      version,
      models: evidence.models(MODELS_PATH),
    };
  },
};
