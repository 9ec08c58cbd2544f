import { ENGINE_NAME } from '../../api/index.js';
import { at, has, MODELS_PATH, versionAt } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

/** The engine of this package. It imitates Ollama, so it comes before all others that do. */
export const nativeEngine: RuntimeKind = {
  title: 'native engine',
  ports: [11434],
  probes: ['/api/version', MODELS_PATH],
  basePath: '',
  sharesPrefixCache: true,
  prove(evidence) {
    const version = evidence.json('/api/version');
    if (!has(version, 'engine')) return undefined;
    if (at(version, 'engine') !== ENGINE_NAME) {
      return { contradiction: 'GET /api/version has the engine field of another engine, which no known runtime has' };
    }
    const models = evidence.models(MODELS_PATH);
    if (models === undefined) {
      return { contradiction: `GET /api/version names this engine, but GET ${MODELS_PATH} is no list of models` };
    }
    return {
      by: `GET /api/version has engine ${ENGINE_NAME}`,
      version: versionAt(version, 'build') ?? versionAt(version, 'version'),
      models,
    };
  },
};
