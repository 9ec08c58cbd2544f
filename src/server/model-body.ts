import { AppError } from '../base/index.js';
import { createRequestParser } from '../api/index.js';
import { parsedBody, type JsonBody } from '../endpoint/index.js';
import type { Static, TSchema } from '../schema/index.js';

/** A request that names its model. */
export type WithModel<T> = T & { readonly model: string };

/**
 * The body of a request for a model. The library's requests may leave the model out; a server has several. Errors:
 * those of `parse`, `missing_required_parameter`.
 */
export function modelBody<S extends TSchema, T extends { readonly model?: string | undefined } = Static<S>>(
  schema: S,
  parse: JsonBody<T>['parse'] = createRequestParser(schema),
  sources: readonly string[] = [],
): JsonBody<WithModel<T>> {
  const declared: unknown = Reflect.get(schema, 'required');
  const required: readonly unknown[] = Array.isArray(declared) ? declared : [];
  return parsedBody(
    { ...schema, required: ['model', ...required] },
    (value, texts) => requireModel(parse(value, texts)),
    { sources },
  );
}

function requireModel<T extends { readonly model?: string | undefined }>(request: T): WithModel<T> {
  if (hasModel(request)) return request;
  const message = 'model is required and is missing; GET /v1/models lists the models';
  throw new AppError('missing_required_parameter', message, { param: 'model' });
}

function hasModel<T extends { readonly model?: string | undefined }>(request: T): request is WithModel<T> {
  return request.model !== undefined && request.model !== '';
}
