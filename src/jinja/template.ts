import { Environment, parse, tokenize } from '@huggingface/jinja';
import { AppError, invalidValue, isAppError, isError } from '../base/index.js';
import { BoundedInterpreter } from './bounded-interpreter.js';
import { MAX_TEMPLATE_LENGTH } from './limits.js';
import { rewriteFunctions, rewriteTemplate } from './rewrite-template.js';
import { isRuntimeFunction, toRuntimeValue } from './runtime-values.js';
import { strftime, toLocalTime } from './strftime.js';
import type { TemplateVariables } from './template-variables.js';
import { readTemplateWords, type TemplateWords } from './template-words.js';
import { lowerWith, withToIf } from './with-statements.js';

/** Longest message of a template's own error that is passed on. */
const MAX_TEMPLATE_MESSAGE = 300;

/** A template that was read. */
export interface CompiledTemplate {
  readonly code: ReturnType<typeof parse>;
  readonly words: TemplateWords;
}

/** Reads a template. Errors: `template_error`, `template_too_large`, `invalid_value`. */
export function compileTemplate(template: string): CompiledTemplate {
  if (typeof template !== 'string') throw invalidValue('template', template, 'a string');
  if (template.length > MAX_TEMPLATE_LENGTH) {
    throw new AppError(
      'template_too_large',
      `the chat template has ${template.length} characters; the limit is ${MAX_TEMPLATE_LENGTH}`,
      { length: template.length, limit: MAX_TEMPLATE_LENGTH },
    );
  }
  const source = template.replace(/\r\n?/g, '\n');
  return guardTemplate('cannot be read', () => {
    const code = parse(withToIf(tokenize(source, { lstrip_blocks: true, trim_blocks: true })));
    const words = readTemplateWords(code);
    lowerWith(code);
    rewriteTemplate(code);
    return { code, words };
  });
}

/**
 * Renders a template as transformers does: trim_blocks, lstrip_blocks, loop controls, `raise_exception`, `strftime_now`,
 * `{% generation %}`. Where @huggingface/jinja differs from Jinja: test/vectors/templates/known-differences.json.
 * Not bounded in time: run templates of others in a thread that can be stopped. Errors: `template_error`, `prompt_too_large`.
 */
export function runTemplate({ code }: CompiledTemplate, { now = new Date(), ...variables }: TemplateVariables): string {
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
    ...variables,
    // Last, so that no variable of a caller replaces one of them.
    ...rewriteFunctions,
  };
  const text = guardTemplate('failed', () => {
    const environment = new Environment();
    for (const [name, value] of Object.entries(globals)) {
      // It refuses a name that the library has taken.
      environment.set(name, null);
      environment.setVariable(name, isRuntimeFunction(value) ? value : toRuntimeValue(value));
    }
    return new BoundedInterpreter(environment).run(code).value;
  });
  if (typeof text !== 'string') throw new AppError('template_error', 'the chat template did not render text');
  return text;
}

/**
 * Rethrows the exceptions of `work` as `template_error`: the library throws plain errors, for bad templates and bad
 * messages alike.
 */
export function guardTemplate<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isAppError(error)) throw error;
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
