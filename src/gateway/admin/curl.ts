import type { KeyRecord } from '../../metering/index.js';
import { keyAllowsModel } from '../routing/routing-table.js';
import type { AdminContext } from './admin-context.js';

/** A line of curl that works with a new secret: by a model that the key may use. */
export function toCurl(secret: string, { models }: KeyRecord, { config, listens }: AdminContext): string {
  const url = `http://${listens()}/v1`;
  const model = config().models.find(({ id }) => keyAllowsModel(models, id))?.id;
  if (model === undefined) return `curl ${url}/models -H 'Authorization: Bearer ${secret}'`;
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] });
  return `curl ${url}/chat/completions -H 'Authorization: Bearer ${secret}' -H 'Content-Type: application/json' -d '${body.replaceAll("'", "'\\''")}'`;
}
