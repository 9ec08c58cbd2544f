import { parseGatewayConfig, readGatewayText } from '../../gateway/index.js';
import type { Sender } from '../send-test-alerts.js';

/** The webhooks of a gateway.yaml, and its gateway. Errors: those of the file. */
export async function readAlertSender(path: string): Promise<Sender> {
  const { text } = await readGatewayText(path);
  const { gatewayId, alerts } = parseGatewayConfig(text, path).config;
  return { webhooks: alerts.webhooks, source: { product: 'private-gateway', id: gatewayId } };
}
