// gateway.yaml as the gateway works with it: paths absolute, addresses taken apart, times and sizes in one unit.
import { dirname, resolve } from 'node:path';
import { toWebhooks, type WebhookConfig } from '../../alerts/index.js';
import { present } from '../../base/index.js';
import { toTelemetry, type TelemetryConfig } from '../../telemetry/index.js';
import { parseListen, toSecretSource, type ListenAddress, type SecretSource } from '../../yaml-file/index.js';
import type { GatewayFile } from './schema/gateway-file.js';
import type { GatewayModelEntry, PriceEntry } from './schema/model.js';
import type { Runtime } from './schema/runtime.js';
import type { KeyLimitFields, VirtualKey } from './schema/virtual-key.js';

/** A model server. */
export interface RuntimeConfig {
  readonly id: string;
  readonly kind: Runtime['kind'];
  /** Without `/v1` and without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: SecretSource | undefined;
  /** Undefined for one that was written by hand. */
  readonly fingerprint: string | undefined;
  readonly metering: Runtime['metering'];
  /** Requests by APIs that it lacks may be translated. */
  readonly translate: boolean;
}

/** One runtime that serves a model. */
export interface TargetConfig {
  readonly runtimeId: string;
  /** The name of the model at the runtime. */
  readonly model: string;
  readonly weight: number;
  readonly order: number;
}

/** A model that clients may ask for. */
export interface GatewayModel {
  readonly id: string;
  readonly targets: readonly TargetConfig[];
  readonly maxOutputTokens: number | undefined;
  /** As it is written: decimal texts. */
  readonly price: PriceEntry | undefined;
}

/** A key of a client. */
export interface VirtualKeyConfig {
  readonly id: string;
  readonly name: string;
  /** `gwk_` and six characters. */
  readonly prefix: string;
  /** SHA-256 of the whole key, 64 hexadecimal digits in lower case. */
  readonly hash: string;
  /** Ids of models, or their beginning and `*`. Null: all. */
  readonly models: readonly string[] | null;
  /** Milliseconds since 1970. Null: never. */
  readonly expiresAtMs: number | null;
  /** Limits as the file has them; an absent one does not limit. */
  readonly limits: KeyLimitFields;
}

/** A gateway.yaml. */
export interface GatewayConfig {
  readonly gatewayId: string;
  readonly listen: ListenAddress;
  /** Absolute. */
  readonly dataDir: string;
  readonly runtimes: readonly RuntimeConfig[];
  readonly models: readonly GatewayModel[];
  readonly virtualKeys: readonly VirtualKeyConfig[];
  readonly passthrough: readonly string[];
  /** Requests may be translated, where the runtime allows it too. */
  readonly translate: boolean;
  readonly corsOrigins: readonly string[];
  readonly admin: { readonly isEnabled: boolean; readonly host: string; readonly port: number };
  readonly limits: {
    readonly maxBodyBytes: number;
    readonly maxHeaderBytes: number;
    readonly idleStreamMs: number;
    readonly requestMs: number;
    readonly drainMs: number;
  };
  readonly retention: { readonly requestLogDays: number; readonly auditDays: number };
  readonly alerts: { readonly webhooks: readonly WebhookConfig[] };
  readonly telemetry: TelemetryConfig;
}

/** A file that was checked, at `path`, from which its relative paths are taken. */
export function toGatewayConfig(file: GatewayFile, path: string): GatewayConfig {
  const directory = dirname(resolve(path));
  const { limits, retention } = file;
  return {
    gatewayId: file.gateway_id,
    listen: present(parseListen(file.listen), 'listen was checked'),
    dataDir: resolve(directory, file.data_dir),
    runtimes: file.runtimes.map((runtime) => toRuntime(runtime, directory)),
    models: file.models.map(toModel),
    virtualKeys: file.virtual_keys.map(toVirtualKey),
    passthrough: file.passthrough,
    translate: file.translate,
    corsOrigins: file.cors_origins,
    admin: { isEnabled: file.admin.enabled, host: file.admin.address, port: file.admin.port },
    limits: {
      maxBodyBytes: limits.body_mib * 2 ** 20,
      maxHeaderBytes: limits.header_kib * 2 ** 10,
      idleStreamMs: limits.idle_stream_s * 1000,
      requestMs: limits.request_s * 1000,
      drainMs: limits.drain_s * 1000,
    },
    retention: { requestLogDays: retention.request_log_days, auditDays: retention.audit_days },
    alerts: { webhooks: toWebhooks(file.alerts.webhooks, directory) },
    telemetry: toTelemetry(file.telemetry, directory),
  };
}

function toRuntime(runtime: Runtime, directory: string): RuntimeConfig {
  const { id, kind, base_url, api_key, fingerprint, metering, translate } = runtime;
  const apiKey = api_key === undefined ? undefined : toSecretSource(api_key, directory);
  return { id, kind, baseUrl: base_url.replace(/\/+$/, ''), apiKey, fingerprint, metering, translate };
}

function toModel({ id, targets, max_output_tokens: maxOutputTokens, price }: GatewayModelEntry): GatewayModel {
  return {
    id,
    targets: targets.map(({ runtime, model, weight, order }) => ({ runtimeId: runtime, model, weight, order })),
    maxOutputTokens,
    price,
  };
}

function toVirtualKey({ id, name, prefix, hash, models, expires_at, limits }: VirtualKey): VirtualKeyConfig {
  const expiresAtMs = expires_at === null ? null : Date.parse(expires_at);
  return { id, name, prefix, hash, models, expiresAtMs, limits };
}
