import { AppError, suggestion } from '../../base/index.js';
import type { KeyRecord } from '../../metering/index.js';
import { matchesModel, type GatewayConfig } from '../config/index.js';

/**
 * Refuses a list of models for a key that names a model which the file does not have: the key could never use it. A pattern
 * with `*` at its end may also mean models to come. Errors: `invalid_value`.
 */
export function checkModels(models: KeyRecord['models'], config: Pick<GatewayConfig, 'models'>): void {
  const ids = config.models.map(({ id }) => id);
  const wrong = models?.find((pattern) => !pattern.endsWith('*') && !ids.some((id) => matchesModel(pattern, id)));
  if (wrong === undefined) return;
  const shown = /^[\x21-\x7e]{1,64}$/.test(wrong) ? wrong : 'a name';
  const known = ids.length === 0 ? ' The gateway has no models.' : '';
  const message = `models has ${shown}, which no model of this gateway has.${suggestion(wrong, ids) || known} A * at the end of a name matches any text.`;
  throw new AppError('invalid_value', message, { param: 'models' });
}
