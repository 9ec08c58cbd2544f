import { parseJsonBody } from '../api/index.js';
import { AppError } from '../base/index.js';
import type { HttpRequest } from '../http/index.js';

/** What bodies come as. `curl -d` calls JSON a form, and pages that send text are kept out by their Origin. */
const READ_AS_JSON = /^(application\/(?:[\w.-]+\+)?json|text\/json|text\/plain|application\/x-www-form-urlencoded)$/;

/**
 * The body of a request by `parse`, which checks its fields. Errors: `unsupported_media_type`, `json_parse_error`, those
 * of `parse`.
 */
export function readRequest<T>({ headers, body }: HttpRequest, parse: (value: unknown) => T): T {
  const [type = '', ...parameters] = (headers.get('content-type') ?? 'application/json').toLowerCase().split(';');
  const charset = parameters.map((parameter) => /^\s*charset="?([\w-]+)"?\s*$/.exec(parameter)?.[1]).find(Boolean);
  if (!READ_AS_JSON.test(type.trim()) || (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')) {
    const message = 'the content-type of the body is not JSON in UTF-8; send application/json';
    throw new AppError('unsupported_media_type', message, { param: null });
  }
  return parse(parseJsonBody(body));
}

/** The model that a request names. Errors: `missing_required_parameter`. */
export function requireModel({ model }: { readonly model?: string }): string {
  if (model !== undefined && model !== '') return model;
  const message = 'model is required and is missing; GET /v1/models lists the models';
  throw new AppError('missing_required_parameter', message, { param: 'model' });
}
