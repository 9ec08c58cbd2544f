import { parseHostedConfig, readHostedText, readServiceId, type ReadSecret } from '../../hosted/index.js';
import type { Sender } from '../send-test-alerts.js';

/** The webhooks of a hosted.yaml, and its service. Errors: those of the file and of its secret. */
export async function readAlertSender(path: string, readSecret: ReadSecret): Promise<Sender> {
  const { text } = await readHostedText(path);
  const { secret, alerts } = parseHostedConfig(text, path).config;
  return { webhooks: alerts.webhooks, source: { product: 'hosted-api', id: await readServiceId(secret, readSecret) } };
}
