// The clients of the server's bench, in a process of their own: started by index.ts, told over IPC what to ask.

import { Agent, request as openRequest } from 'node:http';

/** Streams to open at once, each with its own prompt. */
export interface Load {
  readonly url: string;
  readonly bodies: readonly string[];
}

/** What came of them. */
export interface LoadResult {
  readonly wallMs: number;
  /** From the request to the first text of each stream. */
  readonly firstMs: readonly number[];
  readonly completionTokens: number;
}

const agent = new Agent({ keepAlive: true });

/** One stream, read to its end; resolves with the time of its first text and its tokens. */
function readStream(url: string, body: string): Promise<{ firstMs: number; tokens: number }> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const request = openRequest(`${url}/v1/completions`, { method: 'POST', headers, agent }, (response) => {
      let firstMs = 0;
      let tail = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        if (firstMs === 0 && text.includes('"text":')) firstMs = performance.now() - start;
        tail = (tail + text).slice(-1000);
      });
      response.on('error', reject);
      response.on('end', () => {
        const [, tokens] = /"completion_tokens":(\d+)/.exec(tail) ?? [];
        if (!tail.endsWith('data: [DONE]\n\n') || tokens === undefined)
          return reject(new Error(`it ended with ${tail}`));
        resolve({ firstMs, tokens: Number(tokens) });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

process.on('message', ({ url, bodies }: Load) => {
  void (async () => {
    const start = performance.now();
    const streams = await Promise.all(bodies.map((body) => readStream(url, body)));
    const result: LoadResult = {
      wallMs: performance.now() - start,
      firstMs: streams.map(({ firstMs }) => firstMs),
      completionTokens: streams.reduce((sum, { tokens }) => sum + tokens, 0),
    };
    process.send?.(result);
  })();
});
