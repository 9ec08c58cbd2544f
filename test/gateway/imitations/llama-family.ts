// llama.cpp, and desktop programs around it.
import { FASTAPI_MISSING, modelList, page, UVICORN, type Imitation } from './pages.js';

const LLAMA_MODEL = { id: 'model.gguf', created: 1_767_225_600, owned_by: 'llamacpp', meta: { n_ctx_train: 8192 } };

export const llamaCpp: Imitation = {
  pages: {
    '/props': {
      default_generation_settings: { n_ctx: 4096, params: { temperature: 0.8 } },
      total_slots: 4,
      model_path: '/models/model.gguf',
      chat_template: '{{ messages }}',
      chat_template_caps: { supports_tools: true },
      build_info: 'b7000-0123abc',
    },
    '/health': { status: 'ok' },
    '/v1/models': { ...(modelList(LLAMA_MODEL) as object), models: [{ name: 'model.gguf', model: 'model.gguf' }] },
    '/api/tags': { models: [{ name: 'model.gguf', model: 'model.gguf' }] },
    '/': page('<!doctype html><title>llama.cpp</title>', { type: 'text/html' }),
  },
  missing: { status: 404, body: { error: { code: 404, message: 'File Not Found', type: 'not_found_error' } } },
  headers: { server: 'llama.cpp' },
};

export const llamaCppPython: Imitation = {
  pages: {
    '/openapi.json': { openapi: '3.1.0', info: { title: '🦙 llama.cpp Python API', version: '0.3.16' }, paths: {} },
    '/v1/models': modelList({ id: '/models/model.gguf', owned_by: 'me', permissions: [] }),
  },
  missing: FASTAPI_MISSING,
  headers: UVICORN,
};

export const jan: Imitation = {
  pages: {
    '/openapi.json': { openapi: '3.0.0', info: { title: 'Jan API Server Endpoints', version: '1.0' }, paths: {} },
    '/v1/models': modelList({ id: 'jan-v1-4b', created: 1_767_225_600, owned_by: 'llamacpp' }),
    '/': page('<!doctype html><title>Jan</title>', { type: 'text/html' }),
  },
  missing: { status: 404, type: 'text/plain', body: 'Not Found' },
};

export const lmStudio: Imitation = {
  pages: {
    '/api/v1/models': {
      models: [
        {
          type: 'llm',
          publisher: 'qwen',
          key: 'qwen/qwen3-4b',
          display_name: 'Qwen3 4B',
          architecture: 'qwen3',
          loaded_instances: [],
          max_context_length: 40_960,
        },
      ],
    },
    '/v1/models': modelList({ id: 'qwen/qwen3-4b', owned_by: 'organization_owner' }),
  },
  missing: { status: 200, body: { error: 'Unexpected endpoint or method. (GET /x)' } },
  headers: { 'x-powered-by': 'Express' },
};

export const gpt4all: Imitation = {
  pages: {
    '/v1/models': modelList({
      id: 'Phi-3 Mini Instruct',
      created: 0,
      owned_by: 'humanity',
      parent: null,
      permissions: [],
    }),
  },
  missing: { status: 404, type: 'application/x-empty', body: '' },
};

export const mlx: Imitation = {
  pages: {
    '/health': { status: 'ok' },
    '/v1/models': modelList({ id: 'mlx-community/Qwen3-4B-4bit', created: 1_767_225_600 }),
  },
  missing: { status: 404, type: 'application/json', body: 'Not Found' },
  headers: { server: 'BaseHTTP/0.6 Python/3.12.0' },
};

export const openWebui: Imitation = {
  pages: {
    '/api/config': { status: true, name: 'Open WebUI', version: '0.6.30', deployment_id: '', features: {} },
    '/api/version': { version: '0.6.30', deployment_id: '' },
    '/health': { status: true },
  },
  missing: { status: 200, type: 'text/html; charset=utf-8', body: '<!doctype html><title>Open WebUI</title>' },
  headers: UVICORN,
};
