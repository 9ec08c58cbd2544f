import { isOwnedBy, MODELS_PATH } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

const PORT = 4891;

/** GPT4All's local server (github.com/nomic-ai/gpt4all). Only the owner of its models and its port distinguish it. */
export const gpt4all: RuntimeKind = {
  title: 'GPT4All',
  ports: [PORT],
  probes: [MODELS_PATH],
  basePath: '',
  sharesPrefixCache: false,
  prove(evidence) {
    const models = evidence.models(MODELS_PATH);
    if (models === undefined) return undefined;
    if (isOwnedBy(evidence.json(MODELS_PATH), 'humanity')) {
      return { by: `GET ${MODELS_PATH} has models owned by humanity`, models };
    }
    return evidence.port === PORT
      ? { by: `GET ${MODELS_PATH} is a list, on a port that no other kind has`, models }
      : undefined;
  },
};
