import { has, MODELS_PATH, textAt, versionAt } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

/** Today's path first, then that of older releases. */
const INFO = ['/model_info', '/get_model_info'] as const;

/** SGLang (github.com/sgl-project/sglang, srt/entrypoints/http_server.py). */
export const sglang: RuntimeKind = {
  title: 'SGLang',
  ports: [30000],
  probes: [...INFO, '/server_info', MODELS_PATH],
  basePath: '',
  sharesPrefixCache: true,
  prove(evidence) {
    const path = INFO.find((candidate) => {
      const said = evidence.json(candidate);
      return textAt(said, 'model_path') !== undefined && (has(said, 'is_generation') || has(said, 'tokenizer_path'));
    });
    if (path === undefined) return undefined;
    const version = versionAt(evidence.json('/server_info'), 'version');
    return { by: `GET ${path} has model_path`, version, models: evidence.models(MODELS_PATH) };
  },
};
