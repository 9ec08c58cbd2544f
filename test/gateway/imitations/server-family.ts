// Servers of data centres, and gateways before them.
import { FASTAPI_MISSING, GO_MISSING, modelList, page, UVICORN, type Imitation } from './pages.js';

const VLLM_MODEL = {
  id: 'Qwen/Qwen3-8B',
  created: 1_767_225_600,
  owned_by: 'vllm',
  root: 'Qwen/Qwen3-8B',
  parent: null,
  max_model_len: 40_960,
  permission: [{ id: 'modelperm-1', object: 'model_permission', allow_sampling: true }],
};
const FASTAPI_DOCUMENT = { openapi: '3.1.0', info: { title: 'FastAPI', version: '0.1.0' }, paths: {} };

export const vllm: Imitation = {
  pages: {
    '/version': { version: '0.16.1' },
    '/health': page(''),
    '/openapi.json': FASTAPI_DOCUMENT,
    '/v1/models': modelList(VLLM_MODEL),
  },
  missing: FASTAPI_MISSING,
  headers: UVICORN,
};

export const nim: Imitation = {
  ...vllm,
  pages: {
    ...vllm.pages,
    '/v1/version': { release: '1.8.4', api: '1.0.0' },
    '/v1/health/ready': { object: 'health.response', message: 'Service is ready.' },
  },
};

export const sglang: Imitation = {
  pages: {
    '/get_model_info': { model_path: 'Qwen/Qwen3-8B', tokenizer_path: 'Qwen/Qwen3-8B', is_generation: true },
    '/server_info': { model_path: 'Qwen/Qwen3-8B', version: '0.5.6' },
    '/health': page(''),
    '/openapi.json': FASTAPI_DOCUMENT,
    '/v1/models': modelList({ ...VLLM_MODEL, owned_by: 'sglang' }),
  },
  missing: FASTAPI_MISSING,
  headers: UVICORN,
};

export const tgi: Imitation = {
  pages: {
    '/info': {
      model_id: 'HuggingFaceH4/zephyr-7b-beta',
      model_sha: 'b70e0c9a2d9e14bd1e812d3c398e5f313e93b473',
      max_concurrent_requests: 128,
      max_total_tokens: 2048,
      router: 'text-generation-router',
      version: '3.3.6',
      docker_label: 'sha-d9bb9be',
    },
    '/health': page(''),
    '/v1/models': modelList({
      id: 'HuggingFaceH4/zephyr-7b-beta',
      created: 0,
      owned_by: 'HuggingFaceH4/zephyr-7b-beta',
    }),
  },
  missing: { status: 404, body: '' },
};

export const triton: Imitation = {
  pages: {
    '/v2': { name: 'triton', version: '2.60.0', extensions: ['classification', 'sequence'] },
    '/v2/health/ready': page(''),
  },
  missing: { status: 404, body: '' },
};

export const textGenerationWebui: Imitation = {
  pages: {
    '/v1/internal/model/info': { model_name: 'Qwen3-4B', lora_names: [], loader: 'llama.cpp' },
    '/v1/models': modelList({ id: 'Qwen3-4B', created: 0, owned_by: 'user' }),
    '/openapi.json': FASTAPI_DOCUMENT,
  },
  missing: FASTAPI_MISSING,
  headers: UVICORN,
};

const WANTS_KEY = page({ detail: 'Please provide an API key' }, { status: 401 });

export const tabbyapi: Imitation = {
  pages: {
    '/v1/model': WANTS_KEY,
    '/v1/models': WANTS_KEY,
    '/v1/template/list': WANTS_KEY,
    '/openapi.json': FASTAPI_DOCUMENT,
  },
  missing: FASTAPI_MISSING,
  headers: UVICORN,
};

export const litellm: Imitation = {
  pages: {
    '/health/liveliness': page('"I\'m alive!"', { type: 'application/json' }),
    // Longer than what discovery reads, as the real one is.
    '/openapi.json': { openapi: '3.1.0', info: { title: 'LiteLLM API' }, description: 'x'.repeat(1 << 20) },
    '/v1/models': page(
      { error: { message: 'No api key passed in.', type: 'auth_error', code: '401' } },
      { status: 401 },
    ),
    '/health': page({ error: { message: 'No api key passed in.' } }, { status: 401 }),
  },
  missing: FASTAPI_MISSING,
  headers: UVICORN,
};

export const privateGateway: Imitation = {
  pages: { '/v1/models': page({ error: { message: 'no key', code: 'missing_api_key' } }, { status: 401 }) },
  missing: { status: 404, body: { error: { message: 'no such path' } } },
  headers: { 'x-gateway-id': 'gw_01jabcdefghjkmnpqrstvwxyz0' },
};

export const openaiCompatible: Imitation = {
  pages: { '/v1/models': modelList({ id: 'some-model', created: 1, owned_by: 'xinference' }) },
  missing: GO_MISSING,
};
