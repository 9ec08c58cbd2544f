import { AppError, isAppError } from '../../base/index.js';
import type { CallNotation } from '../../chat/index.js';
import { STRICT_ADVICE, type ConstraintSpec } from '../../grammar/index.js';
import { toStopTokenIds } from '../choices/to-sampling.js';
import type { CompletionOptions } from '../completion-options.js';
import type { CompletionRequest } from '../request.js';
import type { GrammarCompiler } from './grammar-compiler.js';
import { toCallsRequest, type CallsRequest, type GrammarRequest } from './grammar-request.js';

/** The grammar of an answer. */
export interface HeldAnswer {
  /** Absent: calls are free. */
  readonly constraint?: Extract<ConstraintSpec, { kind: 'grammar' }>;
  /** Keywords of schemas that are not enforced, each with its path. */
  readonly unenforced: readonly string[];
}

/**
 * Constrains the answers of a request to its format and its calls; `notation`: that of the model's calls. Undefined:
 * any text. Errors: those of `GrammarCompiler.compile`; `unsupported_parameter`, `unsupported_by_template`.
 */
export type HoldAnswer = (
  request: CompletionRequest,
  notation: CallNotation | null,
  signal: AbortSignal,
) => Promise<HeldAnswer | undefined>;

/** Constrains answers of one model. Without `grammars` formats are refused, and calls are free. */
export function createAnswerHolder(
  options: Pick<CompletionOptions, 'vocabSize' | 'stopTokenIds'>,
  grammars: GrammarCompiler | undefined,
): HoldAnswer {
  return async (request, notation, signal) => {
    const { format, sampling, fields } = request;
    const calls = request.kind === 'chat' ? readCalls(request, notation) : undefined;
    const asked: GrammarRequest = {
      ...(format !== undefined && { format: { format, field: fields.format } }),
      ...(calls !== undefined && { calls }),
    };
    if (format === undefined && calls === undefined) return undefined;
    if (grammars === undefined) {
      if (format === undefined && calls?.isRequired !== true) return undefined;
      throw noVocabulary(format === undefined ? fields.toolChoice : fields.format);
    }
    const ready = await grammars.compile(asked, signal).catch((error: unknown) => {
      // A busy machine may exceed the time limit: optional constraints are dropped instead of a refusal.
      if (isTooLarge(error) && format === undefined && mayBeFree(calls)) return undefined;
      throw withAdvice(error, fields);
    });
    if (ready === undefined) return { unenforced: calls?.tools.map(({ field }) => field) ?? [] };
    const { compiled, id, unenforced } = ready;
    const endTokenIds = toStopTokenIds(sampling, options.vocabSize, options.stopTokenIds, fields);
    return { constraint: { kind: 'grammar', grammar: compiled, id, endTokenIds, skipsForced: true }, unenforced };
  };
}

function isTooLarge(error: unknown): boolean {
  return isAppError(error) && error.code === 'grammar_too_large';
}

/** Whether calls may go without constraints. */
function mayBeFree(calls: CallsRequest | undefined): boolean {
  return calls?.isRequired === false && calls.tools.every(({ isStrict }) => !isStrict);
}

/** Adds advice for the client to an error. */
function withAdvice(error: unknown, { schemaAdvice }: CompletionRequest['fields']): unknown {
  if (schemaAdvice === undefined || !isAppError(error) || error.code !== 'unsupported_schema') return error;
  return new AppError(error.code, error.message.replace(STRICT_ADVICE, schemaAdvice), error.details);
}

/**
 * The allowed or required calls of an answer. A required call does not replace a requested format: both are refused
 * together.
 */
function readCalls(
  request: Extract<CompletionRequest, { kind: 'chat' }>,
  notation: CallNotation | null,
): CallsRequest | undefined {
  const { tools, toolChoice, fields, format } = request;
  const isRequired = toolChoice?.isRequired === true;
  if (isRequired && format !== undefined) {
    const param = fields.format;
    const message = `${param} stands beside a forced ${fields.toolChoice}, so that no answer could have both; leave one out`;
    throw new AppError('invalid_value', message, { param });
  }
  if (tools.length === 0) return undefined;
  if (notation !== null)
    return toCallsRequest({ ...request, isSingle: request.endsWithFirstCall, toolSchema: fields.toolSchema }, notation);
  if (!isRequired) return undefined;
  const param = fields.toolChoice;
  const message = `${param} asks for a call, and how this model writes calls is not known; leave it out`;
  throw new AppError('unsupported_by_template', message, { param });
}

function noVocabulary(param: string): AppError {
  const message = `${param} needs the model's vocabulary as grammars walk it, and its artifact was made before there was one; convert the model again`;
  return new AppError('unsupported_parameter', message, { param });
}
