// Chat templates with Python's semantics: @huggingface/jinja runs them, and they print as with Jinja and transformers.
export { jinjaCodes } from './errors.js';
export { checkJsonText, checkVariables } from './limits.js';
export { compileTemplate, guardTemplate, runTemplate, type CompiledTemplate } from './template.js';
export type { TemplateVariables } from './template-variables.js';
export type { TemplateWords } from './template-words.js';
