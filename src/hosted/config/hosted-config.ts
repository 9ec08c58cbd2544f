// hosted.yaml as the service works with it: paths absolute, times and sizes in one unit.
import { dirname, resolve } from 'node:path';
import { toWebhooks, type WebhookConfig } from '../../alerts/index.js';
import { parseDecimal, present } from '../../base/index.js';
import { toTelemetry, type TelemetryConfig } from '../../telemetry/index.js';
import { toSecretSource, type ListenAddress, type SecretSource } from '../../yaml-file/index.js';
import type { HostedFile } from './hosted-file.js';
import type { Provider } from './provider.js';

/** A path of a provider. */
export interface ProviderPathConfig {
  /** Behind the path of the provider, with its slash. */
  readonly path: string;
  /** Behind the base URL. */
  readonly upstream: string;
  /** Undefined: by `upstream`. */
  readonly dialect: Provider['paths'][number]['dialect'];
}

/** A paid upstream. */
export interface ProviderConfig {
  readonly id: string;
  /** Without slashes at its ends. */
  readonly path: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly credential: SecretSource | undefined;
  readonly credentialHeader: Provider['credential_header'];
  /** Null: every one that has a price. */
  readonly models: readonly string[] | null;
  readonly unpriced: Provider['unpriced'];
  readonly metering: Provider['metering'];
  readonly maxOutputTokens: number | undefined;
  readonly connections: number;
  readonly paths: readonly ProviderPathConfig[];
}

/** A database. */
export type DatabaseConfig =
  | { readonly kind: 'sqlite' }
  | { readonly kind: 'postgres'; readonly url: SecretSource; readonly pool: number };

/** A hosted.yaml. */
export interface HostedConfig {
  readonly listen: ListenAddress & { readonly transport: HostedFile['listen']['transport'] };
  /** The empty one first. Without a slash at their end. */
  readonly basePaths: readonly string[];
  readonly publicUrls: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly metricsFrom: readonly string[];
  /** Absolute. */
  readonly dataDir: string;
  readonly database: DatabaseConfig;
  /** Days that records of requests are kept for; 0: for ever. */
  readonly usageDays: number;
  readonly valkey: SecretSource | undefined;
  readonly secret: SecretSource;
  readonly providers: readonly ProviderConfig[];
  readonly gateways: {
    readonly allowPrivate: readonly string[];
    readonly syncIntervalMs: number;
    readonly connections: number;
    readonly firstByteMs: number;
  };
  readonly limits: {
    readonly maxBodyBytes: number;
    readonly maxHeaderBytes: number;
    readonly idleStreamMs: number;
    readonly requestMs: number;
    readonly drainMs: number;
    readonly streams: number;
    readonly queue: number;
    readonly queueMs: number;
    readonly disconnectMs: number;
    readonly disconnectTokens: number;
    readonly disconnectStreams: number;
  };
  readonly currency: string;
  /** Undefined: there is no operator page. */
  readonly operator: { readonly host: string; readonly port: number } | undefined;
  readonly alerts: {
    /** Micro-units: below it a balance is low. */
    readonly lowMicro: bigint;
    readonly webhooks: readonly WebhookConfig[];
  };
  readonly telemetry: TelemetryConfig;
}

/** A file that was checked, at `path`, from which its relative paths are taken. */
export function toHostedConfig(file: HostedFile, path: string): HostedConfig {
  const directory = dirname(resolve(path));
  const { gateways, limits, database, valkey } = file;
  return {
    listen: { ...file.listen, host: file.listen.host.replace(/^\[(.*)\]$/, '$1') },
    basePaths: ['', ...file.base_paths],
    publicUrls: file.public_urls,
    corsOrigins: file.cors_origins.map((origin) => origin.toLowerCase()),
    metricsFrom: file.metrics_from,
    dataDir: resolve(directory, file.data_dir),
    database: typeof database === 'string' ? { kind: 'sqlite' } : toPostgres(database, directory),
    usageDays: file.usage_days === 'forever' ? 0 : file.usage_days,
    valkey: valkey && toSecretSource(valkey.url, directory),
    secret: toSecretSource(file.secret, directory),
    providers: file.providers.map((provider) => toProvider(provider, directory)),
    gateways: {
      allowPrivate: gateways.allow_private,
      syncIntervalMs: gateways.sync_interval_s * 1000,
      connections: gateways.connections,
      firstByteMs: gateways.first_byte_s * 1000,
    },
    limits: {
      maxBodyBytes: limits.body_mib * 2 ** 20,
      maxHeaderBytes: limits.header_kib * 2 ** 10,
      idleStreamMs: limits.idle_stream_s * 1000,
      requestMs: limits.request_s * 1000,
      drainMs: limits.drain_s * 1000,
      streams: limits.streams,
      queue: limits.queue,
      queueMs: limits.queue_s * 1000,
      disconnectMs: limits.disconnect_s * 1000,
      disconnectTokens: limits.disconnect_tokens,
      disconnectStreams: limits.disconnect_streams,
    },
    currency: file.currency,
    operator: file.operator && { host: file.operator.address, port: file.operator.port },
    alerts: {
      // Prices, and so amounts of this file, have up to nine decimals.
      lowMicro: present(parseDecimal(file.alerts.low_balance, 9), 'low_balance was checked') / 1000n,
      webhooks: toWebhooks(file.alerts.webhooks, directory),
    },
    telemetry: toTelemetry(file.telemetry, directory),
  };
}

type Postgres = Exclude<HostedFile['database'], string>;

function toPostgres({ postgres: { url, pool } }: Postgres, directory: string): DatabaseConfig {
  return { kind: 'postgres', url: toSecretSource(url, directory), pool };
}

function toProvider(provider: Provider, directory: string): ProviderConfig {
  const { id, path = id, credential, models } = provider;
  return {
    id,
    path,
    baseUrl: provider.base_url.replace(/\/+$/, ''),
    credential: credential && toSecretSource(credential, directory),
    credentialHeader: provider.credential_header,
    models: typeof models === 'string' ? null : models,
    unpriced: provider.unpriced,
    metering: provider.metering,
    maxOutputTokens: provider.max_output_tokens,
    connections: provider.connections,
    paths: provider.paths.map(({ path: own, upstream = own, dialect }) => ({ path: own, upstream, dialect })),
  };
}
