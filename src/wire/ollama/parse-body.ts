import { createRequestParser, type OllamaCommonRequest } from '../../api/index.js';
import { AppError } from '../../base/index.js';
import type { TSchema } from '../../schema/index.js';
import { toHeadOf, toWishes, readThink } from './common-fields.js';

/**
 * A request of `schema` from untrusted JSON, with the common fields checked. Unknown keys stay; top-level nulls are
 * dropped. Errors: `missing_required_parameter`, `invalid_type`, `invalid_value`, and those of `check`.
 */
export function createBodyParser<Body extends OllamaCommonRequest>(
  schema: TSchema,
  check: (body: Body) => void,
): (value: unknown) => Body {
  const parse = createRequestParser(schema) as (value: unknown) => Body;
  return (value) => {
    const body = parse(value);
    if (body.model === undefined || body.model === '') {
      const message = 'model is required; GET /api/tags lists the models';
      throw new AppError('missing_required_parameter', message, { param: 'model' });
    }
    // The readers of these fields check them.
    toHeadOf(body, false);
    toWishes(body);
    readThink(body);
    check(body);
    return body;
  };
}
