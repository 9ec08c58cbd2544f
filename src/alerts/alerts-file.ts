import { Type, type Static } from '../schema/index.js';
import {
  createBaseUrlCheck,
  annotate,
  refuseRepeated,
  secretReference,
  strict,
  toSecretSource,
  type Partly,
  type Report,
  type SecretSource,
} from '../yaml-file/index.js';
import type { AlertType } from './alert-types.js';

/** Webhooks of one file: a team has a few. */
const MAX_WEBHOOKS = 16;

/** The differences of the section between two products. */
export interface AlertsSectionOptions {
  /** The alerts of the product. */
  readonly types: readonly AlertType[];
  /** The reader of secrets, as in `the gateway`. */
  readonly reader: string;
  /** As in `gateway.yaml`. */
  readonly file: string;
}

/** The webhooks of the section `alerts`. */
export function webhooksField({ types, reader, file }: AlertsSectionOptions) {
  const Webhook = Type.Object(
    {
      id: Type.String({
        pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
        ...annotate('The name of this webhook within the file, for logs and metrics.', {
          expected: '1 to 64 letters, digits and . _ -',
        }),
      }),
      url: Type.String({
        minLength: 1,
        maxLength: 2048,
        ...annotate('Where alerts are sent by POST. Redirects are not followed.', {
          expected: 'an address such as https://alerts.example.com/troupe',
          check: 'webhookUrl',
          isSecret: true,
        }),
      }),
      secret: secretReference({
        description: 'What alerts are signed with: `whsec_` and 24 to 64 random bytes in base64.',
        reader,
        file,
      }),
      events: Type.Array(Type.Enum([...types], annotate('An event.')), {
        default: [...types],
        minItems: 1,
        maxItems: types.length,
        ...annotate('Which events it gets. Left out: all of them.', { title: 'events' }),
      }),
    },
    { ...strict, ...annotate('A webhook.', { title: 'a webhook' }) },
  );
  return Type.Array(Webhook, {
    default: [],
    maxItems: MAX_WEBHOOKS,
    ...annotate('Where alerts are sent.', { title: 'webhooks' }),
  });
}

/** The fields of the section. */
type WebhookFields = Static<ReturnType<typeof webhooksField>>;

/** The check `webhookUrl` of a file. */
export const checkWebhookUrl = createBaseUrlCheck({
  what: 'webhook',
  example: 'https://alerts.example.com/troupe',
  credential: 'secret',
});

/** Checks webhooks against each other, and warns of plain http, which can be read on the way. */
export function crossCheckWebhooks(
  webhooks: readonly (Partly<WebhookFields[number]> | undefined)[],
  fail: Report,
  warn: Report,
): void {
  refuseRepeated('alerts.webhooks', 'id', webhooks, (webhook) => webhook.id, fail);
  webhooks.forEach((webhook, i) => {
    if (!/^http:/i.test(webhook?.url ?? '')) return;
    warn(`alerts.webhooks[${i}].url`, 'is plain http: names of keys and amounts can be read on the way; use https');
  });
}

/** A webhook as the product works with it. */
export interface WebhookConfig {
  readonly id: string;
  readonly url: string;
  readonly secret: SecretSource;
  readonly events: readonly AlertType[];
}

/** The webhooks of a file in `directory`. */
export function toWebhooks(webhooks: WebhookFields, directory: string): readonly WebhookConfig[] {
  return webhooks.map(({ id, url, secret, events }) => {
    return { id, url, secret: toSecretSource(secret, directory), events };
  });
}
