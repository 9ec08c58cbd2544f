import { Type, type Static } from '../schema/index.js';
import {
  createBaseUrlCheck,
  annotate,
  secretReference,
  strict,
  toSecretSource,
  type SecretSource,
} from '../yaml-file/index.js';

/** The words of the section that differ between two products. */
export interface TelemetrySectionOptions {
  /** `service.name` where none is written. */
  readonly serviceName: string;
  /** Whether trace contexts of clients are taken where nothing is written: clients of a public service are not trusted. */
  readonly takesTraceparent: boolean;
  /** The reader of secrets, as in `the gateway`. */
  readonly reader: string;
  /** As in `gateway.yaml`. */
  readonly file: string;
}

/** The section `telemetry` of a file. */
export function telemetryField({ serviceName, takesTraceparent, reader, file }: TelemetrySectionOptions) {
  return Type.Object(
    {
      endpoint: Type.String({
        default: '',
        maxLength: 2048,
        ...annotate('A collector, without `/v1/traces`. Left out: there is no telemetry.', {
          expected: 'an address such as http://127.0.0.1:4318',
          check: 'telemetryUrl',
        }),
      }),
      headers: Type.Optional(
        secretReference({
          description: 'Headers for the collector: `name=value`, with commas between and values percent-encoded.',
          reader,
          file,
        }),
      ),
      service_name: Type.String({
        default: serviceName,
        pattern: '^[\\x21-\\x7e]{1,128}$',
        ...annotate('`service.name` of all that is sent.', { expected: '1 to 128 visible characters' }),
      }),
      traces: Type.Boolean({ default: true, ...annotate('A trace of each request is sent.') }),
      metrics: Type.Boolean({ default: true, ...annotate('The metrics of `/metrics` are sent.') }),
      sample_percent: Type.Integer({
        minimum: 0,
        maximum: 100,
        default: 100,
        ...annotate('How many of 100 requests are traced.'),
      }),
      metrics_interval_s: Type.Integer({
        minimum: 1,
        maximum: 3600,
        default: 60,
        ...annotate('Between two sendings of the metrics.', { unit: 'seconds' }),
      }),
      take_traceparent: Type.Boolean({
        default: takesTraceparent,
        ...annotate("A request goes on with the trace of its client's field `traceparent`, sampled as it says."),
      }),
      send_traceparent: Type.Boolean({
        default: false,
        ...annotate('Upstreams get the field `traceparent` of the trace here, in the place of that of the client.'),
      }),
    },
    { ...strict, default: {}, ...annotate('OpenTelemetry over OTLP/HTTP: docs/telemetry.md.', { title: 'telemetry' }) },
  );
}

/** The fields of the section. */
type TelemetryFields = Static<ReturnType<typeof telemetryField>>;

const checkUrl = createBaseUrlCheck({ what: 'collector', example: 'http://127.0.0.1:4318', credential: 'headers' });

/** The check `telemetryUrl` of a file. */
export function checkTelemetryUrl(text: string): string | undefined {
  return text === '' ? undefined : checkUrl(text);
}

/** The endpoints. Without one for traces or for metrics, none of these are sent. */
export interface TelemetryConfig {
  readonly tracesUrl: string | undefined;
  readonly metricsUrl: string | undefined;
  readonly headers: SecretSource | undefined;
  readonly serviceName: string;
  /** Parts of one. */
  readonly sampleRatio: number;
  readonly metricsIntervalMs: number;
  readonly takesTraceparent: boolean;
  readonly sendsTraceparent: boolean;
}

/** The telemetry of a file in `directory`. */
export function toTelemetry(fields: TelemetryFields, directory: string): TelemetryConfig {
  const { endpoint, headers, traces, metrics } = fields;
  const at = (path: string): string => endpoint.replace(/\/+$/, '') + path;
  return {
    tracesUrl: endpoint !== '' && traces ? at('/v1/traces') : undefined,
    metricsUrl: endpoint !== '' && metrics ? at('/v1/metrics') : undefined,
    headers: headers && toSecretSource(headers, directory),
    serviceName: fields.service_name,
    sampleRatio: fields.sample_percent / 100,
    metricsIntervalMs: fields.metrics_interval_s * 1000,
    takesTraceparent: fields.take_traceparent,
    sendsTraceparent: fields.send_traceparent,
  };
}

/** Nothing is sent. */
export const TELEMETRY_OFF: TelemetryConfig = {
  tracesUrl: undefined,
  metricsUrl: undefined,
  headers: undefined,
  serviceName: 'troupe',
  sampleRatio: 1,
  metricsIntervalMs: 60_000,
  takesTraceparent: false,
  sendsTraceparent: false,
};
