import { at, textAt, versionAt } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

/** NVIDIA Triton Inference Server (KServe's protocol, version 2). */
export const triton: RuntimeKind = {
  title: 'Triton',
  ports: [8000],
  probes: ['/v2'],
  basePath: '',
  sharesPrefixCache: false,
  refusal: 'it has no chat completions',
  prove(evidence) {
    const said = evidence.json('/v2');
    if (textAt(said, 'name') !== 'triton' || !Array.isArray(at(said, 'extensions'))) return undefined;
    return { by: 'GET /v2 has name triton and extensions', version: versionAt(said, 'version') };
  },
};
