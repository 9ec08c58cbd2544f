// Alerts to webhooks, for every product: each change is one signed event, which is sent again until the webhook takes it or the time is over.
export { alertsCodes } from './errors.js';
export { alertKinds, gatewayAlerts, hostedAlerts, type Alert, type AlertKind } from './alert-types.js';
export { checkWebhookUrl, crossCheckWebhooks, toWebhooks, webhooksField, type WebhookConfig } from './alerts-file.js';
export type { AlertWatch } from './alert-watch.js';
export { createAlerts, type Alerts, type AlertSource, type ReadWebhookSecret, type Touched } from './alerts.js';
export { renderAlerts } from './render-alerts.js';
export { testWebhooks, type WebhookTest } from './test-webhooks.js';
