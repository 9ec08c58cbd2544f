import { describe, expect, it } from 'vitest';
import { codeOf } from '../../src/base/index.js';
import { createTracer, TELEMETRY_OFF, withTelemetryEnv, type TelemetryConfig } from '../../src/telemetry/index.js';
import { parsePairs } from '../../src/telemetry/telemetry-env.js';
import { toOtlpMetrics } from '../../src/telemetry/to-otlp-metrics.js';
import { parseTraceparent } from '../../src/telemetry/trace-context.js';
import { createMetricsRegistry } from '../../src/endpoint/index.js';
import { makeKey, chat, modelOf, runtimeAt, startGateway } from '../gateway/serving/start-gateway.js';
import { completion, fieldOf, startRuntime, whole } from '../gateway/serving/runtime.js';
import { chat as chatPaid, providerAt, startHosted } from '../hosted/serving/start-hosted.js';
import { ask } from '../relay/raw-upstream.js';
import { attributesOf, startCollector } from './start-collector.js';
import { chatBody, SOON } from '../support/start-product.js';

const OFF: TelemetryConfig = { ...TELEMETRY_OFF, takesTraceparent: true, sendsTraceparent: true };
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

describe('the variables of OpenTelemetry', () => {
  it('stand over the file, and are off without an endpoint', () => {
    expect(withTelemetryEnv(OFF, {})).toEqual(OFF);
    const base = withTelemetryEnv(OFF, {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/',
      OTEL_SERVICE_NAME: 'x',
    });
    expect(base).toMatchObject({
      tracesUrl: 'http://127.0.0.1:4318/v1/traces',
      metricsUrl: 'http://127.0.0.1:4318/v1/metrics',
      serviceName: 'x',
    });
    expect(withTelemetryEnv(base, { OTEL_SDK_DISABLED: 'true' })).toMatchObject({
      tracesUrl: undefined,
      metricsUrl: undefined,
    });
    expect(withTelemetryEnv(base, { OTEL_METRICS_EXPORTER: 'none' }).metricsUrl).toBeUndefined();
    const sampler = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' };
    expect(withTelemetryEnv(base, sampler).sampleRatio).toBe(0.25);
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://169.254.169.254' }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }],
    [{ OTEL_METRIC_EXPORT_INTERVAL: '1m' }],
  ])('that cannot be used are refused: %o', (env) => {
    expect(() => withTelemetryEnv(OFF, env)).toThrow(expect.objectContaining({ code: 'telemetry_invalid' }));
  });

  it('give headers as percent-encoded pairs, and no message repeats them', () => {
    expect([...parsePairs('authorization=Bearer%20abc, x-scope=1', 'h')]).toEqual([
      ['authorization', 'Bearer abc'],
      ['x-scope', '1'],
    ]);
    for (const text of ['s3cret', 'a=%zz-s3cret', 'a=%0d%0as3cret', 'a b=s3cret']) {
      try {
        parsePairs(text, 'h');
        expect.unreachable();
      } catch (error) {
        expect(codeOf(error)).toBe('telemetry_invalid');
        expect((error as Error).message).not.toContain('s3cret');
      }
    }
  });
});

describe('a trace context', () => {
  it.each([
    ['an invalid version', `ff${PARENT.slice(2)}`],
    ['zeros as trace', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    ['zeros as span', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['more in version 00', `${PARENT}-x`],
    ['capitals', PARENT.toUpperCase()],
    ['too much', `01${PARENT.slice(2)}-${'x'.repeat(600)}`],
  ])('with %s begins a trace of its own', (_, text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });

  it('of a client is gone on with, where that is allowed, and sampled as it says', () => {
    const config = { ...OFF, tracesUrl: 'http://127.0.0.1:1/v1/traces', sampleRatio: 0 };
    const headers = new Map([['traceparent', PARENT]]);
    const trace = createTracer(config)?.begin(headers);
    expect(trace).toMatchObject({ traceId: TRACE, parentId: '00f067aa0ba902b7', isSampled: true });
    expect(trace?.fields).toEqual([['traceparent', `00-${TRACE}-${trace?.upstreamSpanId}-01`]]);
    const own = createTracer({ ...config, takesTraceparent: false, sendsTraceparent: false })?.begin(headers);
    expect(own?.traceId).not.toBe(TRACE);
    expect(own).toMatchObject({ parentId: undefined, isSampled: false, fields: [] });
    expect(createTracer(OFF)).toBeUndefined();
  });
});

it('metrics are those of Prometheus: counts, buckets and labels', () => {
  const registry = createMetricsRegistry();
  registry.counter('troupe_requests_total', 'Requests.').add({ route: 'a"b\\c\n' }, 3);
  const histogram = registry.histogram('gen_ai_client_operation_duration_seconds', 'Time.', [1, 2]);
  for (const value of [0.5, 1.5, 1.6, 9]) histogram.observe({ gen_ai_request_model: 'm', runtime: 'r' }, value);
  const [counter, times] = toOtlpMetrics(registry.render(), { startUnixMs: 1_000, unixMs: 2_000 });
  expect(counter).toMatchObject({ name: 'troupe_requests', sum: { isMonotonic: true, dataPoints: [{ asInt: '3' }] } });
  expect(JSON.stringify(counter)).toContain(JSON.stringify('a"b\\c\n'));
  expect(times).toMatchObject({
    name: 'gen_ai.client.operation.duration',
    unit: 's',
    histogram: { dataPoints: [{ count: '4', sum: 12.6, bucketCounts: ['1', '2', '1'], explicitBounds: [1, 2] }] },
  });
  const names = JSON.stringify(times);
  for (const name of ['gen_ai.request.model', 'gen_ai.provider.name']) expect(names).toContain(name);
});

describe('a collector', () => {
  it.each([0, 2])(
    'gets spans and metrics of a gateway with %i threads, and no prompt, answer, key or header',
    async (relayThreads) => {
      await using collector = await startCollector();
      await using runtime = await startRuntime((_, socket) => void socket.write(whole(completion(7, 5))));
      const key = makeKey();
      const parts = {
        runtimes: [runtimeAt(runtime.url)],
        models: [modelOf()],
        virtual_keys: [key.entry],
        telemetry: { endpoint: collector.url, send_traceparent: true, metrics_interval_s: 1, headers: { env: 'H' } },
      };
      const readSecret = async (): Promise<string> => 'authorization=Bearer%20collector';
      {
        await using gateway = await startGateway(parts, { readSecret, relayThreads });
        const headers = { ...key.headers, traceparent: PARENT, 'x-canary': 'HEADER-CANARY' };
        const body = chatBody({ messages: [{ role: 'user', content: 'PROMPT-CANARY' }] });
        expect((await ask(gateway.port, 'POST', '/v1/chat/completions', body, undefined, headers)).status).toBe(200);
        await ask(gateway.port, 'POST', '/v1/chat/completions', body, undefined, {
          authorization: 'Bearer gwk_WRONGCANARY',
        });
        await expect.poll(() => collector.metrics().length, SOON).toBeGreaterThan(3);
      }
      expect(collector.wrong).toEqual([]);
      const spans = collector.spans();
      const [server] = spans.filter(({ traceId, kind }) => traceId === TRACE && kind === 2);
      const [client] = spans.filter(({ traceId, kind }) => traceId === TRACE && kind === 3);
      expect(server).toMatchObject({ name: 'POST /v1/chat/completions', parentSpanId: '00f067aa0ba902b7' });
      expect(client).toMatchObject({ name: 'chat demo', parentSpanId: server?.spanId });
      expect(client && attributesOf(client)).toMatchObject({
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'r',
        'gen_ai.request.model': 'demo',
        'gen_ai.response.model': 'up',
        'gen_ai.usage.input_tokens': '7',
        'gen_ai.usage.output_tokens': '5',
      });
      expect(
        fieldOf(runtime.asked[0] ?? { fields: [] as never[], method: '', target: '', body: '' }, 'traceparent'),
      ).toBe(`00-${TRACE}-${client?.spanId}-01`);
      const refused = spans.find(({ traceId }) => traceId !== TRACE);
      expect(refused && attributesOf(refused)).toMatchObject({
        'error.type': 'invalid_api_key',
        'http.response.status_code': '401',
      });
      expect(collector.heads.every(({ authorization }) => authorization === 'Bearer collector')).toBe(true);
      const said = collector.texts.join('\n');
      for (const secret of ['CANARY', '"Hi"', key.secret, 'gwk_']) expect(said).not.toContain(secret);
    },
  );

  it('gets spans of a hosted API, which does not go on with traces of its clients', async () => {
    await using collector = await startCollector();
    await using provider = await startRuntime((_, socket) => void socket.write(whole(completion(7, 5))));
    const file = { providers: [providerAt(provider.url)], telemetry: { endpoint: collector.url } };
    {
      await using hosted = await startHosted(file);
      await hosted.price();
      const payer = await hosted.payer();
      const asked = { ...payer, headers: { ...payer.headers, traceparent: PARENT } };
      expect((await chatPaid(hosted, asked)).status).toBe(200);
    }
    expect(collector.wrong).toEqual([]);
    expect(collector.spans().map(({ kind }) => kind)).toEqual([2, 3]);
    expect(collector.texts.join('')).not.toContain(TRACE);
    expect(collector.metrics().map(({ name }) => name)).toContain('troupe_hosted_requests');
  });

  it('gets nothing where none is named', async () => {
    await using collector = await startCollector();
    await using runtime = await startRuntime((_, socket) => void socket.write(whole(completion(1, 1))));
    const key = makeKey();
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] };
    {
      await using gateway = await startGateway(parts);
      await chat(gateway, key);
    }
    expect(collector.texts).toEqual([]);
  });
});
