// Alerts to webhooks, for every product: what happened is told once, signed, and sent again until it is taken or given up.
export { alertsCodes } from './errors.js';
export { alertKinds, gatewayAlerts, hostedAlerts, type Alert, type AlertKind } from './alert-types.js';
export { checkWebhookUrl, crossCheckWebhooks, toWebhooks, webhooksField, type WebhookConfig } from './alerts-file.js';
export type { AlertWatch } from './alert-watch.js';
export { createAlerts, type Alerts, type AlertSource, type ReadWebhookSecret, type Touched } from './alerts.js';
export { renderAlerts } from './render-alerts.js';
export { testWebhooks, type WebhookTest } from './test-webhooks.js';
