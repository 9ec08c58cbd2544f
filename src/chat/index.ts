// Messages to text and text to deltas. No token ids and no sockets.
export type {
  CallNotation,
  ChatParser,
  ContentLogprob,
  Delta,
  ModelDialect,
  ElementNotation,
  GeneratedText,
  NotationText,
  ParserOptions,
  TokenChance,
} from './chat-parser.js';
export { elementTypes } from './calls/element-types.js';
export { controlTextsOf, dialectOf, hiddenTextsOf } from './control-texts.js';
export { detectDialect } from './detect-dialect.js';
export { toArgumentsVariable, toJsonVariable, type JsonText } from './json-text.js';
export { dialects } from './parsers/index.js';
export { toPrompt, type ControlTexts, type Prompt } from './plain-prompt.js';
export { endTexts, endTokenIds } from './end-tokens.js';
export { formats as chatFormats } from './formats/index.js';
export { checkTemplate, createTemplateRenderer, renderTemplate, type TemplateRenderer } from './template.js';
export { checkVariables, jinjaCodes as chatCodes, type TemplateVariables } from '../jinja/index.js';
