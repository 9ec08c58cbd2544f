import { randomBytes } from 'node:crypto';
import { AppError } from '../base/index.js';
import type { AlertSource, ReadWebhookSecret } from './alerts.js';
import type { WebhookConfig } from './alerts-file.js';
import { postJson, type OutgoingNetwork } from '../outgoing/index.js';
import { parseWebhookSecret, toSignedHeaders } from './signature.js';

/** The result of a test of a webhook. */
export interface WebhookTest {
  readonly webhook: string;
  readonly delivered: boolean;
  /** Null: there was no answer. */
  readonly status: number | null;
  /** Null: it was delivered. */
  readonly reason: string | null;
}

/** Options of a test. */
export interface WebhookTestOptions {
  readonly webhooks: readonly WebhookConfig[];
  /** The one that is tested; undefined: all of them. */
  readonly only: string | undefined;
  readonly source: AlertSource;
  readonly readSecret: ReadWebhookSecret;
  readonly network: OutgoingNetwork;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Sends each webhook one event `test`, once. Errors: `webhook_unknown`, `webhook_secret_missing`, those of files. */
export async function testWebhooks(options: WebhookTestOptions): Promise<readonly WebhookTest[]> {
  const { webhooks, only, source, readSecret, network, now } = options;
  const chosen = webhooks.filter(({ id }) => only === undefined || id === only);
  if (chosen.length === 0) throw unknownWebhook(only, webhooks);
  return Promise.all(
    chosen.map(async ({ id: webhook, url, secret: from }) => {
      const secret = parseWebhookSecret(await readSecret(from, `the secret of webhook ${webhook}`), webhook);
      const atMs = now();
      const data = { webhook };
      const body = JSON.stringify({ type: 'test', timestamp: new Date(atMs).toISOString(), source, data });
      const id = `msg_${randomBytes(18).toString('base64url')}`;
      const headers = toSignedHeaders(secret, { id, timestamp: Math.floor(atMs / 1000), body });
      const { isDelivered, status, reason } = await postJson(url, { body, headers }, network);
      return { webhook, delivered: isDelivered, status: status ?? null, reason: reason ?? null };
    }),
  );
}

function unknownWebhook(only: string | undefined, webhooks: readonly WebhookConfig[]): AppError {
  const message =
    webhooks.length === 0
      ? 'the file has no webhook; add one to alerts.webhooks'
      : `alerts.webhooks has no webhook of that id; it has ${webhooks.map(({ id }) => id).join(', ')}`;
  return new AppError('webhook_unknown', message, { ...(only !== undefined && { webhook: only.slice(0, 64) }) });
}
