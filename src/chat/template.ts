import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja';
import { AppError, invalidValue, isError } from '../base/index.js';
import { MAX_CACHED_TEMPLATES, MAX_PROMPT_LENGTH, MAX_TEMPLATE_LENGTH, MAX_TEMPLATE_MESSAGE } from './limits.js';
import { rewriteFunctions, rewriteTemplate } from './rewrite-template.js';
import { strftime, toLocalTime } from './strftime.js';

type Program = ReturnType<typeof parse>;

/** What a template sees: `messages`, `tools`, `add_generation_prompt` and whatever else; `now` is for `strftime_now`. */
export type TemplateVariables = Readonly<Record<string, unknown>> & {
  /** What `strftime_now` prints: a Date, or a local time 'YYYY-MM-DDTHH:mm:ss'. Default: the present. */
  readonly now?: Date | string;
};

/**
 * Renders a Jinja chat template as transformers does: trim_blocks, lstrip_blocks, loop controls, `raise_exception`,
 * `strftime_now`, `{% generation %}`. `now` is a Date or a local time 'YYYY-MM-DDTHH:mm:ss' (default: the present).
 * Where @huggingface/jinja differs from Jinja: test/vectors/templates/known-differences.json.
 * Not bounded in time: run templates of others in a thread that can be stopped.
 * Errors: `template_error`, `template_too_large`, `prompt_too_large`, `invalid_value`.
 */
export function renderTemplate(template: string, variables: TemplateVariables): string {
  return run(compile(template), variables);
}

/** Renders as `renderTemplate` does, and keeps the last few templates parsed. */
export interface TemplateRenderer {
  /** The text of a template. Errors: those of `renderTemplate`. */
  render(template: string, variables: TemplateVariables): string;
}

/** A renderer with a memory of its own, of `MAX_CACHED_TEMPLATES` templates, least recently used out first. */
export function createTemplateRenderer(): TemplateRenderer {
  const programs = new Map<string, Program>();
  return {
    render(template, variables) {
      const program = programs.get(template) ?? compile(template);
      programs.delete(template);
      programs.set(template, program);
      for (const oldest of programs.keys()) {
        if (programs.size <= MAX_CACHED_TEMPLATES) break;
        programs.delete(oldest);
      }
      return run(program, variables);
    },
  };
}

function compile(template: string): Program {
  if (typeof template !== 'string') throw invalidValue('template', template, 'a string');
  if (template.length > MAX_TEMPLATE_LENGTH) {
    throw new AppError(
      'template_too_large',
      `the chat template has ${template.length} characters; the limit is ${MAX_TEMPLATE_LENGTH}`,
      { length: template.length, limit: MAX_TEMPLATE_LENGTH },
    );
  }
  const source = template.replace(/\r\n?/g, '\n');
  return guard('cannot be read', () => {
    const program = parse(tokenize(source, { lstrip_blocks: true, trim_blocks: true }));
    rewriteTemplate(program);
    return program;
  });
}

function run(program: Program, variables: TemplateVariables): string {
  if (typeof variables !== 'object' || variables === null) throw invalidValue('variables', variables, 'an object');
  const { now = new Date(), ...rest } = variables;
  const time = toLocalTime(now);
  if (time === undefined) {
    throw new AppError('template_error', "now must be a Date or a local time like '2026-01-31T23:59:59'");
  }
  const globals: Record<string, unknown> = {
    true: true,
    false: false,
    none: null,
    True: true,
    False: false,
    None: null,
    range,
    raise_exception: raiseException,
    strftime_now: (format: string) => strftime(format, time),
    ...rewriteFunctions,
    ...rest,
  };
  const text = guard('failed', () => {
    const environment = new Environment();
    for (const [name, value] of Object.entries(globals)) environment.set(name, value);
    return new Interpreter(environment).run(program).value;
  });
  if (typeof text !== 'string') throw new AppError('template_error', 'the chat template did not render text');
  if (text.length > MAX_PROMPT_LENGTH) {
    throw new AppError(
      'prompt_too_large',
      `the chat template rendered ${text.length} characters; the limit is ${MAX_PROMPT_LENGTH}`,
      {
        length: text.length,
        limit: MAX_PROMPT_LENGTH,
      },
    );
  }
  return text;
}

/** The library throws plain errors, for bad templates and for bad messages alike: both are the template's door. */
function guard<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = isError(error) ? error.message : String(error);
    throw new AppError(
      'template_error',
      `the chat template ${what}: ${reason.slice(0, MAX_TEMPLATE_MESSAGE)}`,
      {},
      { cause: error },
    );
  }
}

function raiseException(message: unknown): never {
  throw new Error(String(message));
}

/** Python's range. The bound keeps one loop over numbers from filling the heap before a time limit ends it. */
function range(first: number, second?: number, step = 1): number[] {
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  const count = Math.max(0, Math.ceil((stop - start) / step));
  if (!Number.isSafeInteger(count) || count > MAX_RANGE)
    throw new RangeError(`range() is limited to ${MAX_RANGE} numbers`);
  return Array.from({ length: count }, (_, index) => start + index * step);
}

/** Longest range: Jinja's own sandbox limit (jinja2/sandbox.py, MAX_RANGE). */
const MAX_RANGE = 100_000;
