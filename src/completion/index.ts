// A chat request becomes deltas. No sockets and no keys in here.
export { abortableStream } from './abortable-stream.js';
export { createCompletion, type Completion } from './completion.js';
export type { CompletionCallOptions, CompletionOptions } from './completion-options.js';
export type { Embed, Embeddings, EmbedInput, EmbedOptions } from './embedder.js';
export { completionCodes } from './errors.js';
export {
  createRemoteRenderer,
  TEMPLATE_ID,
  templateActorSpec,
  type RenderTemplate,
  type TemplateActor,
  type TemplateHost,
} from './template-actor.js';
export type { TextCompleter } from './text-completion.js';
export type { RenderChatOptions, TemplateTokens } from './template-messages.js';
export {
  createTextEncoder,
  TOKENIZER_ID,
  tokenizerActorSpec,
  type TokenizerActor,
  type TokenizerInit,
} from './tokenizer-actor.js';
export { ModelPool, type ModelPoolOptions } from './model-pool.js';
export { openModel, prepareModel, type OpenModel, type OpenModelOptions } from './open-model.js';
export type { Loadable, ModelLease, Poolable, PooledModel } from './pooled-model.js';
