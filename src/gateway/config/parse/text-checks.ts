import { checkWebhookUrl } from '../../../alerts/index.js';
import { checkTelemetryUrl } from '../../../telemetry/index.js';
import {
  checkAmount,
  checkOrigin,
  checkPath,
  checkPrice,
  checkTimestamp,
  createBaseUrlCheck,
  createListenCheck,
  type TextChecks,
} from '../../../yaml-file/index.js';

/** Paths that the gateway has itself. */
const OWN_PATHS =
  /^\/(?:v1\/(?:chat\/completions|completions|embeddings|responses|messages|models(?:\/.*)?)|health|ready|metrics|openapi\.json)$/;

function path(text: string): string | undefined {
  return checkPath(text) ?? (OWN_PATHS.test(text) ? 'is a path that the gateway has already; leave it out' : undefined);
}

/** The checks of gateway.yaml, by name. */
export const textChecks = {
  listen: createListenCheck(9440),
  baseUrl: createBaseUrlCheck({
    what: 'runtime',
    example: 'http://127.0.0.1:8000',
    credential: 'api_key',
    adds: 'the gateway',
  }),
  timestamp: checkTimestamp,
  price: checkPrice,
  amount: checkAmount,
  path,
  origin: checkOrigin,
  webhookUrl: checkWebhookUrl,
  telemetryUrl: checkTelemetryUrl,
} as const satisfies TextChecks;
