import { AppError } from '../base/index.js';

/** The model that a request names. Errors: `missing_required_parameter`. */
export function requireModel({ model }: { readonly model?: string | undefined }): string {
  if (model !== undefined && model !== '') return model;
  const message = 'model is required and is missing; GET /v1/models lists the models';
  throw new AppError('missing_required_parameter', message, { param: 'model' });
}
