import { createRequestParser } from '../../api/index.js';
import { AppError } from '../../base/index.js';
import { parsedBody, type JsonBody } from '../../endpoint/index.js';
import type { Static, TSchema } from '../../schema/index.js';
import type { WithModel } from '../model-body.js';

/** The field with the model in Ollama's API; `name` is the older spelling. */
interface Naming {
  readonly model?: string;
  readonly name?: string;
}

/** The body of a request for a model. A missing model is refused in Ollama's words. Errors: those of its fields. */
export function ollamaBody<S extends TSchema>(schema: S): JsonBody<WithModel<Static<S> & Naming>> {
  const parse = createRequestParser(schema);
  const properties: unknown = Reflect.get(schema, 'properties');
  const mayUseName = typeof properties === 'object' && properties !== null && 'name' in properties;
  return parsedBody(mayUseName ? schema : { ...schema, required: ['model'] }, (value) => {
    const body: Static<S> & Naming = parse(value);
    const model = body.model ?? body.name ?? '';
    if (model !== '') return { ...body, model };
    const message = 'model is required; GET /api/tags lists the models';
    throw new AppError('missing_required_parameter', message, { param: 'model' });
  });
}
