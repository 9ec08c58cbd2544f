import { has, MODELS_PATH, textAt, versionAt } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

/**
 * Text Generation Inference (github.com/huggingface/text-generation-inference). Discovery does not scan port 80 of its
 * container: any web server may have that port.
 */
export const tgi: RuntimeKind = {
  title: 'Text Generation Inference',
  ports: [3000],
  probes: ['/info', MODELS_PATH],
  basePath: '',
  sharesPrefixCache: false,
  prove(evidence) {
    const info = evidence.json('/info');
    const model = textAt(info, 'model_id');
    if (model === undefined || !has(info, 'router', 'max_concurrent_requests', 'max_total_tokens')) return undefined;
    const models = evidence.models(MODELS_PATH);
    return { by: 'GET /info has model_id and router', version: versionAt(info, 'version'), models };
  },
};
