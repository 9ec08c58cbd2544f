import {
  checkAmount,
  checkOrigin,
  checkLoopback,
  checkPath,
  checkPrice,
  checkTimestamp,
  createBaseUrlCheck,
  createListenCheck,
  createTextCheck,
  toConfigError,
  type CheckedText,
  type ParsedFile,
  type Problem,
  type TextChecks,
  type TextPosition,
} from '../../../yaml-file/index.js';
import { gatewayFileKind } from '../file/gateway-file-kind.js';
import { toGatewayConfig, type GatewayConfig } from '../gateway-config.js';
import { GatewayFile } from '../schema/gateway-file.js';
import { crossCheck } from './cross-checks.js';
import { checkWebhookUrl } from '../../../alerts/index.js';
import { checkTelemetryUrl } from '../../../telemetry/index.js';

/** Paths that the gateway has itself. */
const OWN_PATHS =
  /^\/(?:v1\/(?:chat\/completions|completions|embeddings|responses|messages|models(?:\/.*)?)|health|ready|metrics|openapi\.json)$/;

function checkOwnPath(text: string): string | undefined {
  return checkPath(text) ?? (OWN_PATHS.test(text) ? 'is a path that the gateway has already; leave it out' : undefined);
}

/** The checks of gateway.yaml, by name. */
export const textChecks = {
  listen: createListenCheck(9440),
  loopback: checkLoopback,
  baseUrl: createBaseUrlCheck({
    what: 'runtime',
    example: 'http://127.0.0.1:8000',
    credential: 'api_key',
    adds: 'the gateway',
  }),
  timestamp: checkTimestamp,
  price: checkPrice,
  amount: checkAmount,
  path: checkOwnPath,
  origin: checkOrigin,
  webhookUrl: checkWebhookUrl,
  telemetryUrl: checkTelemetryUrl,
} as const satisfies TextChecks;

/** A whole virtual key or admin token. No other letters or digits may touch it: a hash does not match. */
const PLAIN_KEY = /(?<![0-9A-Za-z])gw([ka])_[0-9A-Za-z]{6}_[0-9A-Za-z]{20,}/g;

/** Finds keys in plain text anywhere in the file, in comments too: a reader of the file could use them. */
function findPlainKeys(text: string, placeAt: (offset: number) => TextPosition): Problem[] {
  return [...text.matchAll(PLAIN_KEY)].map(({ index, 1: kind }) => {
    const [what, command] = kind === 'k' ? ['a virtual key', 'keys rotate'] : ['an admin token', 'admin-token'];
    const message = `${what} is here in plain text; remove it, write the SHA-256 of a key instead, and replace this one (${command}), since it may have leaked`;
    return { ...placeAt(index), field: '', message };
  });
}

/** The result of checking a text as a gateway.yaml. */
export type CheckedConfig = CheckedText<GatewayFile>;

/** A gateway.yaml that can be used. */
export type ParsedConfig = ParsedFile<GatewayConfig>;

const check = createTextCheck({ schema: GatewayFile, checks: textChecks, findInText: findPlainKeys, crossCheck });

/** Checks any text. Never throws: `problems` lists every mistake. */
export function checkGatewayConfig(text: string): CheckedConfig {
  return check(text);
}

/**
 * The gateway.yaml `text`, read at `path`. Errors: `gateway_config_invalid`, which lists every mistake with its line
 * and column.
 */
export function parseGatewayConfig(text: string, path: string): ParsedConfig {
  const { file, problems, warnings } = checkGatewayConfig(text);
  if (file === undefined) throw toConfigError(gatewayFileKind, path, problems);
  return { config: toGatewayConfig(file, path), warnings };
}
