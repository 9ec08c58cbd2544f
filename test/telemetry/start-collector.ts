// A collector of OTLP/HTTP with JSON, which refuses what is not of the protocol.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Compile, Type } from '../../src/schema/index.js';

const strict = { additionalProperties: false };
const Attributes = Type.Array(
  Type.Object(
    {
      key: Type.String({ minLength: 1 }),
      value: Type.Union([
        Type.Object({ stringValue: Type.String() }, strict),
        Type.Object({ intValue: Type.String({ pattern: '^-?[0-9]+$' }) }, strict),
        Type.Object({ doubleValue: Type.Number() }, strict),
      ]),
    },
    strict,
  ),
);
const Resource = Type.Object({ attributes: Attributes }, strict);
const scope = Type.Object({ name: Type.String() }, strict);
const nanos = Type.String({ pattern: '^[0-9]{19}$' });
const count = Type.String({ pattern: '^[0-9]+$' });
const hex = (digits: number) => Type.String({ pattern: `^(?!0+$)[0-9a-f]{${digits}}$` });

const Span = Type.Object(
  {
    traceId: hex(32),
    spanId: hex(16),
    parentSpanId: Type.Optional(hex(16)),
    name: Type.String({ minLength: 1 }),
    kind: Type.Integer({ minimum: 1, maximum: 5 }),
    startTimeUnixNano: nanos,
    endTimeUnixNano: nanos,
    attributes: Attributes,
    status: Type.Object({ code: Type.Integer({ minimum: 0, maximum: 2 }) }, strict),
  },
  strict,
);
const Traces = Type.Object(
  {
    resourceSpans: Type.Array(
      Type.Object(
        { resource: Resource, scopeSpans: Type.Array(Type.Object({ scope, spans: Type.Array(Span) }, strict)) },
        strict,
      ),
    ),
  },
  strict,
);
const point = { attributes: Attributes, timeUnixNano: nanos };
const number = { asInt: Type.Optional(Type.String()), asDouble: Type.Optional(Type.Number()) };
const Metric = Type.Object(
  {
    name: Type.String({ pattern: '^[a-zA-Z][\\w.]*$' }),
    description: Type.String(),
    unit: Type.String(),
    sum: Type.Optional(
      Type.Object(
        {
          dataPoints: Type.Array(Type.Object({ ...point, startTimeUnixNano: nanos, ...number }, strict)),
          aggregationTemporality: Type.Integer({ minimum: 2, maximum: 2 }),
          isMonotonic: Type.Boolean(),
        },
        strict,
      ),
    ),
    gauge: Type.Optional(Type.Object({ dataPoints: Type.Array(Type.Object({ ...point, ...number }, strict)) }, strict)),
    histogram: Type.Optional(
      Type.Object(
        {
          dataPoints: Type.Array(
            Type.Object(
              {
                ...point,
                startTimeUnixNano: nanos,
                count,
                sum: Type.Number(),
                bucketCounts: Type.Array(count),
                explicitBounds: Type.Array(Type.Number()),
              },
              strict,
            ),
          ),
          aggregationTemporality: Type.Integer({ minimum: 2, maximum: 2 }),
        },
        strict,
      ),
    ),
  },
  strict,
);
const Metrics = Type.Object(
  {
    resourceMetrics: Type.Array(
      Type.Object(
        { resource: Resource, scopeMetrics: Type.Array(Type.Object({ scope, metrics: Type.Array(Metric) }, strict)) },
        strict,
      ),
    ),
  },
  strict,
);
const checks = { '/v1/traces': Compile(Traces), '/v1/metrics': Compile(Metrics) };

/** A span that came in. */
export type GotSpan = Type.Static<typeof Span>;
/** A metric that came in. */
export type GotMetric = Type.Static<typeof Metric>;

/** A collector at work. */
export interface Collector extends AsyncDisposable {
  readonly url: string;
  /** All bytes of all requests: heads and bodies. */
  readonly texts: readonly string[];
  readonly heads: readonly IncomingHttpHeaders[];
  /** Bodies that are not of the protocol. */
  readonly wrong: readonly string[];
  spans(): readonly GotSpan[];
  /** Of the newest request. */
  metrics(): readonly GotMetric[];
}

/** Starts one on loopback. `status` is asked for each request. */
export async function startCollector(status = (): number => 200): Promise<Collector> {
  const texts: string[] = [];
  const heads: IncomingHttpHeaders[] = [];
  const wrong: string[] = [];
  const spans: GotSpan[] = [];
  let metrics: readonly GotMetric[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString();
      const body: unknown = JSON.parse(text);
      const answer = status();
      texts.push(JSON.stringify(request.headers) + text);
      heads.push(request.headers);
      const isJson = request.headers['content-type'] === 'application/json';
      const check = checks[request.url as keyof typeof checks];
      if (!isJson || !(check?.Check(body) ?? false)) wrong.push(text);
      else if (answer === 200 && request.url === '/v1/traces') {
        const { resourceSpans } = body as Type.Static<typeof Traces>;
        spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans)));
      } else if (answer === 200) {
        const { resourceMetrics } = body as Type.Static<typeof Metrics>;
        metrics = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((one) => one.metrics));
      }
      response.writeHead(answer, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    texts,
    heads,
    wrong,
    spans: () => spans,
    metrics: () => metrics,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** The attributes of a span or a point as plain values. */
export function attributesOf({ attributes }: Pick<GotSpan, 'attributes'>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
