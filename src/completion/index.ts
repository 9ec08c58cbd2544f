// A request becomes events, in the words of no wire. No sockets and no keys in here.
export { abortableStream } from './abortable-stream.js';
export { createCompletion, type Completion } from './completion.js';
export type { CompletionCallOptions, CompletionOptions, ModelTemplate } from './completion-options.js';
export type { ChoiceEnd, ChoiceFinish } from './choices/choice.js';
export { type Embed, type Embeddings, type EmbedInput, type EmbedOptions, createEmbedder } from './embedder.js';
export { completionCodes } from './errors.js';
export {
  createRemoteRenderer,
  TEMPLATE_ID,
  templateActorSpec,
  type RenderTemplate,
  type TemplateActor,
  type TemplateHost,
} from './template-actor.js';
export type {
  BeginEvent,
  ChoiceDeltas,
  CompletionDelta,
  CompletionEvent,
  ContentLogprob,
  EndEvent,
  TokenChance,
  TokenUsage,
} from './events.js';
export {
  neutralFields,
  type ChatPrompt,
  type ChatRequest,
  type CompletionRequest,
  type CompletionWishes,
  type FieldNames,
  type JsonObject,
  type Message,
  type MessageCall,
  type SamplingChoice,
  type TextRequest,
  type Thinking,
} from './request.js';
export type { TemplateTokens } from './templates/template-messages.js';
export {
  createTextEncoder,
  TOKENIZER_ID,
  tokenizerActorSpec,
  type TokenizerActor,
  type TokenizerInit,
} from './tokenizer-actor.js';

export { createAdmission } from './admission.js';
export { createAnswerParts, type AnswerParts } from './answer-parts.js';
export { controlTextsOf } from './control-texts.js';
