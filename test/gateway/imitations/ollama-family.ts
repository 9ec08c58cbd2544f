// Ollama, and those who answer its API.
import { GO_MISSING, modelList, page, type Imitation } from './pages.js';

const DIGEST = 'a6990ed6be412c6a217614b0ec8e9cd6800a743d5dd7e1d7fbe9df09e61d5615';
const TAG = { name: 'llama3:8b', model: 'llama3:8b', modified_at: '2026-01-01T00:00:00Z', size: 4_661_224_676 };

/** What each of them answers. */
const OLLAMA_PAGES = {
  '/': page('Ollama is running', { type: 'text/plain; charset=utf-8' }),
  '/api/tags': {
    models: [
      {
        ...TAG,
        digest: DIGEST,
        details: {
          parent_model: '',
          format: 'gguf',
          family: 'llama',
          parameter_size: '8.0B',
          quantization_level: 'Q4_0',
        },
      },
    ],
  },
  '/api/version': { version: '0.14.2' },
  '/v1/models': modelList({ id: 'llama3:8b', created: 1_767_225_600, owned_by: 'library' }),
};

export const nativeEngine: Imitation = {
  pages: {
    ...OLLAMA_PAGES,
    '/api/version': { version: '1.0.0', engine: 'troupe', build: '0.1.0' },
    '/v1/models': modelList({ id: 'demo', created: 1_767_225_600, owned_by: 'troupe' }),
  },
  missing: {
    status: 404,
    body: { error: { message: 'no such path', type: 'invalid_request_error', param: null, code: null } },
  },
};

export const ollama: Imitation = { pages: OLLAMA_PAGES, missing: GO_MISSING };

export const localai: Imitation = {
  pages: {
    ...OLLAMA_PAGES,
    '/api/version': { version: '0.9.0' },
    '/readyz': page('', { type: 'text/plain' }),
    '/healthz': page('', { type: 'text/plain' }),
    '/version': { version: 'v4.1.0 (05f1eb4)' },
    '/v1/models': modelList({ id: 'gpt4all-j' }, { id: 'whisper-1' }),
  },
  missing: { status: 404, body: { error: { code: 404, message: 'Resource not found', type: '' } } },
};

export const koboldcpp: Imitation = {
  pages: {
    ...OLLAMA_PAGES,
    '/api/extra/version': { result: 'KoboldCpp', version: '1.102', protected: false, llm: true },
    '/api/v1/model': { result: 'koboldcpp/llama3' },
    '/v1/models': modelList({ id: 'koboldcpp/llama3', created: 1, owned_by: 'koboldcpp' }),
  },
  missing: { status: 404, type: 'text/html', body: '<html><body>Not found</body></html>' },
  headers: { server: 'ConcedoLlamaForKoboldServer BaseHTTP/0.6' },
};

export const dockerModelRunner: Imitation = {
  pages: {
    ...OLLAMA_PAGES,
    '/': page('Docker Model Runner is running', { type: 'text/plain' }),
    '/api/version': { version: '0.1.0' },
    '/engines/v1/models': modelList({ id: 'ai/smollm2', created: 1_742_816_981, owned_by: 'docker' }),
    '/v1/models': modelList({ id: 'ai/smollm2', created: 1_742_816_981, owned_by: 'docker' }),
  },
  missing: GO_MISSING,
};

export const lemonade: Imitation = {
  pages: {
    ...OLLAMA_PAGES,
    '/api/v1/health': { status: 'ok', version: '10.0.0', model_loaded: null, all_models_loaded: [] },
    '/api/v1/models': modelList({ id: 'Qwen3-0.6B-GGUF', created: 1_744_173_590, owned_by: 'lemonade' }),
    '/v1/models': modelList({ id: 'Qwen3-0.6B-GGUF', created: 1_744_173_590, owned_by: 'lemonade' }),
  },
  missing: { status: 404, body: { error: { message: 'The requested endpoint does not exist', type: 'not_found' } } },
};
