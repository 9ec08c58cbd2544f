// A chat request becomes deltas. No sockets and no keys in here.
export { abortableStream } from './abortable-stream.js';
export { createCompletion, type Completion } from './completion.js';
export type { CompletionCallOptions, CompletionOptions } from './completion-options.js';
export { type Embed, type Embeddings, type EmbedInput, type EmbedOptions, createEmbedder } from './embedder.js';
export { completionCodes } from './errors.js';
export {
  createRemoteRenderer,
  templateKey,
  templateActorSpec,
  type RenderTemplate,
  type TemplateActor,
  type TemplateHost,
} from './template-actor.js';
export type { TextCompleter } from './text-completion.js';
export type { RenderChatOptions, TemplateTokens } from './template-messages.js';
export {
  createTextEncoder,
  tokenizerKey,
  tokenizerActorSpec,
  type TokenizerActor,
  type TokenizerInit,
} from './tokenizer-actor.js';

export { createAdmission } from './admission.js';
export { createAnswerParts, type AnswerParts } from './answer-parts.js';
export { controlTextsOf } from './control-texts.js';
