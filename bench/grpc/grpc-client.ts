// The clients of the bench over gRPC, in a process of their own: started by index.ts, told over IPC what to ask. They are
// `troupe/client` over one connection with mutual TLS, as a gateway would have it.
import { createClient, type Client, type ClientOptions } from '../../src/client/index.js';
import type { LoadResult } from '../server/http-client.js';

/** Streams to open at once, each with its own words. */
export interface GrpcLoad {
  readonly address: string;
  readonly tls: NonNullable<ClientOptions['tls']>;
  readonly questions: readonly string[];
  readonly maxTokens: number;
}

let client: Client | undefined;

async function readStream(
  { maxTokens }: GrpcLoad,
  open: Client,
  question: string,
  seed: number,
): Promise<[number, number]> {
  const start = performance.now();
  let [firstMs, tokens] = [0, 0];
  const request = {
    messages: [{ role: 'user', content: question }],
    max_tokens: maxTokens,
    sampling: { seed, ignore_eos: true },
  };
  for await (const { delta, usage } of open.stream(request)) {
    if (delta?.content) firstMs ||= performance.now() - start;
    tokens = usage?.completion_tokens ?? tokens;
  }
  return [firstMs, tokens];
}

process.on('message', (load: GrpcLoad) => {
  void (async () => {
    const open = (client ??= createClient({ address: load.address, tls: load.tls }));
    const start = performance.now();
    const streams = await Promise.all(load.questions.map((question, seed) => readStream(load, open, question, seed)));
    const result: LoadResult = {
      wallMs: performance.now() - start,
      firstMs: streams.map(([firstMs]) => firstMs),
      completionTokens: streams.reduce((sum, [, tokens]) => sum + tokens, 0),
    };
    process.send?.(result);
  })();
});
