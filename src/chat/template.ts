import { invalidValue } from '../base/index.js';
import {
  compileTemplate,
  guardTemplate,
  runTemplate,
  type CompiledTemplate,
  type TemplateVariables,
} from '../jinja/index.js';
import { readJsonTexts } from './json-text.js';
import { MAX_CACHED_TEMPLATES } from './limits.js';
import { createPlainRenderer, type ControlTexts, type Prompt, type RenderPlainly } from './plain-prompt.js';

/**
 * Renders a Jinja chat template as transformers does: trim_blocks, lstrip_blocks, loop controls, `raise_exception`,
 * `strftime_now`, `{% generation %}`. `now` is a Date or a local time 'YYYY-MM-DDTHH:mm:ss' (default: the present).
 * Where @huggingface/jinja differs from Jinja: test/vectors/templates/known-differences.json. Its run time has no
 * limit: run foreign templates in a thread that can be stopped. Errors: `template_error`, `template_too_large`,
 * `prompt_too_large`, `invalid_value`.
 */
export function renderTemplate(template: string, variables: TemplateVariables): string {
  return run(compileTemplate(template), variables);
}

/** Whether a template can be parsed, without rendering anything. Errors: `template_error`, `template_too_large`. */
export function checkTemplate(template: string): void {
  compileTemplate(template);
}

/** Renders as `renderTemplate` does, and keeps the last few templates parsed. */
export interface TemplateRenderer {
  /** The text of a template. Errors: those of `renderTemplate`. */
  render(template: string, variables: TemplateVariables): string;
  /** Renders, and marks text of `variables` that reads like a control token as text. */
  renderPrompt(template: string, variables: TemplateVariables): Prompt;
}

/** A renderer's record of a template. */
interface Known {
  readonly program: CompiledTemplate;
  readonly renderPlainly: RenderPlainly;
}

const NO_CONTROLS: ControlTexts = { special: [], tags: [] };

/** A renderer with a cache of `MAX_CACHED_TEMPLATES` templates; the least recently used leaves first. */
export function createTemplateRenderer(controls: ControlTexts = NO_CONTROLS): TemplateRenderer {
  const templates = new Map<string, Known>();
  const know = (template: string): Known => {
    const known = templates.get(template) ?? learn(template, controls);
    templates.delete(template);
    templates.set(template, known);
    for (const oldest of templates.keys()) {
      if (templates.size <= MAX_CACHED_TEMPLATES) break;
      templates.delete(oldest);
    }
    return known;
  };
  return {
    render: (template, variables) => run(know(template).program, variables),
    renderPrompt(template, variables) {
      const { program, renderPlainly } = know(template);
      return guardTemplate('failed', () => renderPlainly(readJsonTexts(variables), (marked) => run(program, marked)));
    },
  };
}

function learn(template: string, controls: ControlTexts): Known {
  const program = compileTemplate(template);
  return { program, renderPlainly: createPlainRenderer(template, program.words, controls) };
}

function run(program: CompiledTemplate, variables: TemplateVariables): string {
  if (typeof variables !== 'object' || variables === null) throw invalidValue('variables', variables, 'an object');
  return runTemplate(
    program,
    guardTemplate('failed', () => readJsonTexts(variables)),
  );
}
