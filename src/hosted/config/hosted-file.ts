import { hostedAlerts, webhooksField } from '../../alerts/index.js';
import { Type, type Static } from '../../schema/index.js';
import { telemetryField } from '../../telemetry/index.js';
import { annotate, pageAddress, strict, type Unit } from '../../yaml-file/index.js';
import { MAX_SERVICE_PATHS, MAX_PROVIDERS } from './limits.js';
import { Provider } from './provider.js';
import { serviceSecret, Storage, Valkey } from './storage.js';

/** A whole number of a unit, or of pieces. */
function amount(minimum: number, maximum: number, value: number, description: string, unit?: Unit) {
  const note = annotate(description, unit === undefined ? {} : { unit });
  return Type.Integer({ minimum, maximum, default: value, ...note });
}

const Listen = Type.Object(
  {
    host: Type.String({
      default: '127.0.0.1',
      minLength: 1,
      maxLength: 64,
      ...annotate('The address.', { expected: 'an address such as 127.0.0.1 or 0.0.0.0', check: 'host' }),
    }),
    port: amount(0, 65_535, 9470, 'The port. 0 takes any free one.'),
    transport: Type.Enum(['auto', 'node', 'uws'], {
      default: 'auto',
      ...annotate('`uws` is uWebSockets.js, `node` is node:http, `auto` is uws where it is installed.'),
    }),
  },
  { ...strict, default: {}, ...annotate('Where the service listens for clients.', { title: 'listen' }) },
);

const Gateways = Type.Object(
  {
    allow_private: Type.Array(
      Type.String({
        minLength: 2,
        maxLength: 64,
        ...annotate('A range.', { expected: 'an address or a range such as 10.0.0.0/8', check: 'range' }),
      }),
      {
        default: [],
        maxItems: MAX_SERVICE_PATHS,
        ...annotate('Loopback and private ranges in which connected gateways may be. Public addresses always are.', {
          title: 'ranges',
        }),
      },
    ),
    sync_interval_s: amount(10, 86_400, 300, 'Between two reads of the models of one gateway.', 'seconds'),
    connections: amount(
      1,
      1024,
      64,
      'Running requests to one gateway, of one node. The limit keeps a slow gateway from harming others.',
    ),
    first_byte_s: amount(1, 3600, 120, 'How long a gateway may take to begin its answer.', 'seconds'),
  },
  { ...strict, default: {}, ...annotate('Connected gateways.', { title: 'gateways' }) },
);

const Limits = Type.Object(
  {
    body_mib: amount(1, 1024, 32, 'Largest body of a request.', 'MiB'),
    header_kib: amount(4, 256, 16, 'Largest header block of a request.', 'KiB'),
    idle_stream_s: amount(1, 86_400, 300, 'How long a provider may stay silent within an answer.', 'seconds'),
    request_s: amount(1, 3600, 600, 'How long a request may take as a whole.', 'seconds'),
    drain_s: amount(0, 3600, 30, 'How long running requests may still take once the service stops.', 'seconds'),
    streams: amount(1, 100_000, 5000, 'Running relayed requests, of one node.'),
    queue: amount(0, 10_000, 64, 'Requests that wait for one provider at most.'),
    queue_s: amount(1, 300, 10, 'How long one of them may wait.', 'seconds'),
    disconnect_s: amount(
      0,
      300,
      10,
      'How long the service reads an answer on after its client left, to learn its cost.',
      'seconds',
    ),
    disconnect_tokens: amount(1, 1_000_000, 4096, 'How many further tokens of such an answer are read.'),
    disconnect_streams: amount(0, 10_000, 256, 'Such answers at the same time.'),
  },
  { ...strict, default: {}, ...annotate('What any request may take.', { title: 'limits' }) },
);

const Operator = Type.Object(
  {
    address: pageAddress,
    port: amount(0, 65_535, 9475, 'Its port. 0 takes any free one.'),
  },
  {
    ...strict,
    ...annotate('The operator page, on a loopback address only. Left out: no page.', { title: 'operator' }),
  },
);

const Alerts = Type.Object(
  {
    low_balance: Type.String({
      default: '5',
      minLength: 1,
      maxLength: 24,
      ...annotate('Below it the balance of an account is low, in the currency of the account.', {
        expected: "an amount in quotes such as '5.00'",
        check: 'price',
      }),
    }),
    webhooks: webhooksField({ types: hostedAlerts, reader: 'the service', file: 'hosted.yaml' }),
  },
  {
    ...strict,
    default: {},
    ...annotate('The alerts that the service sends to webhooks, signed. They hold no text of a request.', {
      title: 'alerts',
    }),
  },
);

/** A text of a list, with the name of its check. */
const checked = (description: string, expected: string, check: string) =>
  Type.String({ minLength: 1, maxLength: 2048, ...annotate(description, { expected, check }) });

/** hosted.yaml once its defaults are filled in. Fields with a `default` may be left out of the file. */
export const HostedFile = Type.Object(
  {
    listen: Listen,
    base_paths: Type.Array(checked('A prefix.', 'a path such as /api', 'path'), {
      default: [],
      maxItems: MAX_SERVICE_PATHS,
      ...annotate('Prefixes under which everything is served too, as behind a proxy that does not take them off.', {
        title: 'paths',
      }),
    }),
    public_urls: Type.Array(checked('A URL.', 'a URL such as https://api.example.com', 'publicUrl'), {
      default: [],
      maxItems: MAX_SERVICE_PATHS,
      ...annotate('By which clients reach the service: a connected gateway that leads there is refused as a loop.', {
        title: 'URLs',
      }),
    }),
    cors_origins: Type.Array(checked('An origin.', 'an origin such as https://chat.example.com', 'origin'), {
      default: [],
      maxItems: MAX_SERVICE_PATHS,
      ...annotate('Web pages that may call the service from a browser. Without one there is no CORS.', {
        title: 'origins',
      }),
    }),
    metrics_from: Type.Array(checked('A range.', 'an address or a range such as 10.0.0.0/8', 'range'), {
      default: ['127.0.0.0/8', '::1'],
      maxItems: MAX_SERVICE_PATHS,
      ...annotate('From where /metrics and the whole of /health may be read, without a proxy between.', {
        title: 'ranges',
      }),
    }),
    data_dir: Type.String({
      default: './hosted-data',
      minLength: 1,
      maxLength: 4096,
      pattern: '^[^\\x00]+$',
      ...annotate('Where this node keeps its outbox, and its database where that is SQLite, relative to this file.', {
        expected: 'a path',
      }),
    }),
    database: Storage,
    usage_days: Type.Union(
      [
        Type.Enum(['forever'], annotate('They stay.')),
        Type.Integer({ minimum: 31, maximum: 36_500, ...annotate('At least a month.') }),
      ],
      {
        default: 'forever',
        ...annotate(
          'How many days the records of single requests are kept for. The ledger and the sums by day always stay.',
          { expected: 'forever, or a number of days from 31 on' },
        ),
      },
    ),
    valkey: Type.Optional(Valkey),
    secret: serviceSecret,
    providers: Type.Array(Provider, {
      default: [],
      maxItems: MAX_PROVIDERS,
      ...annotate('The paid upstreams, each under a path of its own.', { title: 'providers' }),
    }),
    gateways: Gateways,
    limits: Limits,
    currency: Type.String({
      default: 'USD',
      pattern: '^[A-Z]{3}$',
      ...annotate('Three letters of ISO 4217: the currency of prices and accounts without one.', {
        expected: 'three capital letters such as EUR',
      }),
    }),
    operator: Type.Optional(Operator),
    alerts: Alerts,
    telemetry: telemetryField({
      serviceName: 'hosted-api',
      takesTraceparent: false,
      reader: 'the service',
      file: 'hosted.yaml',
    }),
  },
  { ...strict, ...annotate('hosted.yaml.', { title: 'hosted.yaml' }) },
);
export type HostedFile = Static<typeof HostedFile>;
