// What a program that embeds the engine sees of it. No wire and no printing in here.
export { createEngine, type Engine, type LoadOptions } from './engine.js';
export { DEMO_DIRECTORY, findModel, locateModel, type LocateOptions } from './locate-model.js';
export { openModelHost, type ModelHost } from './model-host.js';
export type { PooledModel } from '../completion/index.js';
export { embeddingCodes } from './errors.js';
export type { Embeddings, EmbedInput, EmbedOptions } from '../completion/index.js';
export type { GenerateOptions } from './generate-options.js';
export type { CallOptions, ChatOptions, Model, RenderOptions } from './model.js';
export { defaultModelsDir, type EngineOptions } from './options.js';
