// A request becomes events, independent of any wire format. No sockets and no keys.
export { createCompletion, type Completion } from './completion.js';
export type { CompletionCallOptions, CompletionOptions, ModelTemplate } from './completion-options.js';
export { type Embed, type Embeddings, type EmbedInput, type EmbedCallOptions, createEmbedder } from './embedder.js';
export { completionCodes } from './errors.js';
export {
  createRemoteRenderer,
  templateKey,
  templateActorSpec,
  type RenderTemplate,
  type TemplateActor,
  type TemplateHost,
} from './template-actor.js';
export type {
  ChoiceDeltas,
  ChoiceEnd,
  ChoiceFinish,
  CompletionEvent,
  BeginEvent,
  EndEvent,
  TokenUsage,
} from './events.js';
export type { ContentLogprob, Delta, TokenChance } from '../chat/index.js';
export {
  neutralFields,
  messageText,
  textParts,
  type ChatPrompt,
  type AnswerFormat,
  type ChatRequest,
  type CompletionRequest,
  type CompletionWishes,
  type FieldNames,
  type Message,
  type MessageCall,
  type MessagePart,
  type SamplingChoice,
  type TextRequest,
  type Thinking,
  type ToolCallRule,
} from './request.js';
export type { TemplateSkills } from './templates/probe-thread.js';
export { createTemplateProbe, type TemplateProbe } from './templates/template-probe.js';
export type { TemplateTokens } from './templates/template-messages.js';
export {
  createTextEncoder,
  tokenizerKey,
  tokenizerActorSpec,
  type TokenizerActor,
  type TokenizerInit,
} from './tokenizer-actor.js';

// The samplers' declarations of their numbers: a wire makes fields of them.
export {
  samplerParameters,
  setAt,
  snakeName,
  type Absentable,
  type NamedParameter,
  type SamplerParameter,
  type SamplerValues,
  type SamplingDefaultsName,
} from '../engine/index.js';

export { createSlotPool } from './slot-pool.js';
export { createAnswerParts, type AnswerParts } from './answer-parts.js';
export { createGrammarCompiler } from './grammars/grammar-compiler.js';
