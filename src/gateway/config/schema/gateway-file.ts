import { gatewayAlerts, webhooksField } from '../../../alerts/index.js';
import { Type, type Static } from '../../../schema/index.js';
import { telemetryField } from '../../../telemetry/index.js';
import { annotate, pageAddress, strict, type Unit } from '../../../yaml-file/index.js';
import { MAX_FILE_KEYS, MAX_GATEWAY_MODELS, MAX_EXTRA_PATHS, MAX_RUNTIMES } from '../limits.js';
import { GatewayModelEntry } from './model.js';
import { Runtime } from './runtime.js';
import { VirtualKey } from './virtual-key.js';

/** A whole number of a unit. */
function amount(minimum: number, maximum: number, value: number, unit: Unit, description: string) {
  return Type.Integer({ minimum, maximum, default: value, ...annotate(description, { unit }) });
}

const ServerLimits = Type.Object(
  {
    body_mib: amount(1, 1024, 32, 'MiB', 'Largest body of a request.'),
    header_kib: amount(4, 256, 16, 'KiB', 'Largest header block of a request.'),
    idle_stream_s: amount(1, 86_400, 300, 'seconds', 'How long a runtime may stay silent within an answer.'),
    request_s: amount(1, 86_400, 600, 'seconds', 'How long a request may take as a whole.'),
    drain_s: amount(0, 3600, 30, 'seconds', 'How long requests under way may still take once the gateway stops.'),
  },
  { ...strict, default: {}, ...annotate('What any request may take.', { title: 'limits' }) },
);

const Retention = Type.Object(
  {
    request_log_days: amount(0, 3650, 30, 'days', 'How long the metadata of requests is kept.'),
    audit_days: amount(1, 3650, 365, 'days', 'How long audit entries are kept.'),
  },
  {
    ...strict,
    default: {},
    ...annotate('How long records are kept. Prompts and answers are never kept.', { title: 'retention' }),
  },
);

const Alerts = Type.Object(
  { webhooks: webhooksField({ types: gatewayAlerts, reader: 'the gateway', file: 'gateway.yaml' }) },
  {
    ...strict,
    default: {},
    ...annotate('The alerts that the gateway sends to webhooks, signed. They hold no text of a request.', {
      title: 'alerts',
    }),
  },
);

const AdminPage = Type.Object(
  {
    enabled: Type.Boolean({
      default: false,
      ...annotate('Whether the admin page is served. `TROUPE_ADMIN_ENABLED`, where it is set, decides instead.'),
    }),
    address: pageAddress,
    port: Type.Integer({
      minimum: 0,
      maximum: 65_535,
      default: 9465,
      ...annotate('Its port. Port 0 takes any free one.', { expected: 'a port from 0 to 65535' }),
    }),
  },
  { ...strict, default: {}, ...annotate('The admin page.', { title: 'admin' }) },
);

/** gateway.yaml once its defaults are filled in. Fields with a `default` may be left out of the file. */
export const GatewayFile = Type.Object(
  {
    gateway_id: Type.String({
      pattern: '^gw_[0-9A-Za-z]{1,40}$',
      ...annotate('Who this gateway is; `init` makes it. Two gateways never share one.', {
        expected: 'gw_ and 1 to 40 letters and digits',
      }),
    }),
    listen: Type.String({
      default: '127.0.0.1:9440',
      minLength: 1,
      maxLength: 300,
      ...annotate('Address and port for clients. Port 0 takes any free one.', {
        expected: 'an address and a port such as 127.0.0.1:9440 or [::1]:9440',
        check: 'listen',
      }),
    }),
    data_dir: Type.String({
      default: './gateway-data',
      minLength: 1,
      maxLength: 4096,
      pattern: '^[^\\x00]+$',
      ...annotate('Where the gateway keeps its database and its audit log, relative to this file.', {
        expected: 'a path',
      }),
    }),
    runtimes: Type.Array(Runtime, {
      default: [],
      maxItems: MAX_RUNTIMES,
      ...annotate('The model servers behind this gateway.', { title: 'runtimes' }),
    }),
    models: Type.Array(GatewayModelEntry, {
      default: [],
      maxItems: MAX_GATEWAY_MODELS,
      ...annotate('The models that clients may ask for.', { title: 'models' }),
    }),
    virtual_keys: Type.Array(VirtualKey, {
      default: [],
      maxItems: MAX_FILE_KEYS,
      ...annotate('Keys of clients. Keys that are made while the gateway runs are in its database.', {
        title: 'virtual keys',
      }),
    }),
    passthrough: Type.Array(
      Type.String({
        minLength: 1,
        maxLength: 256,
        ...annotate('A whole path.', { expected: 'a whole path such as /v1/rerank', check: 'path' }),
      }),
      {
        default: [],
        maxItems: MAX_EXTRA_PATHS,
        ...annotate('Further paths that are relayed, whole. Keys and limits hold for them too.', { title: 'paths' }),
      },
    ),
    translate: Type.Boolean({
      default: true,
      ...annotate(
        'Requests by `/v1/messages` and `/v1/responses` may be translated to chat completions. `false` holds for all runtimes.',
      ),
    }),
    cors_origins: Type.Array(
      Type.String({
        minLength: 1,
        maxLength: 256,
        ...annotate('An origin.', { expected: 'an origin such as https://chat.example.com', check: 'origin' }),
      }),
      {
        default: [],
        maxItems: MAX_EXTRA_PATHS,
        ...annotate('Origins of web pages that may call the gateway from a browser. Empty: no CORS headers.', {
          title: 'origins',
        }),
      },
    ),
    admin: AdminPage,
    limits: ServerLimits,
    retention: Retention,
    alerts: Alerts,
    telemetry: telemetryField({
      serviceName: 'private-gateway',
      takesTraceparent: true,
      reader: 'the gateway',
      file: 'gateway.yaml',
    }),
  },
  { ...strict, ...annotate('gateway.yaml.', { title: 'gateway.yaml' }) },
);
export type GatewayFile = Static<typeof GatewayFile>;
