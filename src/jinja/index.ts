// Chat templates with Python's semantics: what @huggingface/jinja runs prints as Jinja and transformers print it.
export { jinjaCodes } from './errors.js';
export { compileTemplate, guardTemplate, runTemplate, type CompiledTemplate } from './template.js';
export type { TemplateVariables } from './template-variables.js';
export type { TemplateWords } from './template-words.js';
