// SIGTERM at each moment of streams that end within the grace.
import { describe, expect, it } from 'vitest';
import { ask } from '../relay/raw-upstream.js';
import { startServerProcess } from './server-process.js';

/** Tokens of an answer: it takes a tenth of a second and more. */
const TOKENS = 24;
const asked = { messages: [{ role: 'user', content: 'Tell me a story.' }], max_tokens: TOKENS };
const sampling = { temperature: 0, ignore_eos: true };

describe('after SIGTERM', () => {
  // -1: before the first piece; TOKENS: all of them have come, and only the status is left.
  it.each([-1, 1, 5, TOKENS / 2, TOKENS - 1, TOKENS])(
    'streams of gRPC and HTTP that end within the grace end whole: piece %i',
    async (piece) => {
      // One compute thread: two would wait for each other on a busy machine.
      await using server = await startServerProcess({ words: ['--http', '--port', '0', '--threads', '1'] });
      const exit = new Promise((resolve) => server.child.once('exit', (...how) => resolve(how)));
      let isStopped = false;
      let opened = 0;
      const stopAt = (count: number): void => {
        if (count < piece || opened < 4 || isStopped) return;
        isStopped = true;
        server.child.kill('SIGTERM');
      };
      const stream = async (): Promise<readonly [string, number]> => {
        let text = '';
        let tokens = 0;
        let count = 0;
        // A call whose id has come was admitted.
        const open = (): void => (++opened === 4 && piece === -1 ? stopAt(0) : undefined);
        for await (const chunk of server.data.stream({ ...asked, sampling }, { onRequestId: open })) {
          text += chunk.delta?.content ?? '';
          tokens = chunk.usage?.completion_tokens ?? tokens;
          count++;
          if (piece !== -1) stopAt(count);
        }
        return [text, tokens];
      };
      const port = Number(/listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(server.output())?.[1]);
      const body = JSON.stringify({
        model: 'demo',
        ...asked,
        ...sampling,
        stream: true,
        stream_options: { include_usage: true },
      });
      const http = ask(port, 'POST', '/v1/chat/completions', body);
      // The stream of HTTP is under way when the signal comes.
      if (piece === -1) await new Promise((resolve) => setTimeout(resolve, 50));
      const all = await Promise.all(Array.from({ length: 4 }, stream));
      if (!isStopped) server.child.kill('SIGTERM');
      for (const [text, tokens] of all) expect([text, tokens]).toEqual([all[0]?.[0], TOKENS]);
      const { status, body: events, isBroken } = await http;
      expect([status, isBroken]).toEqual([200, false]);
      expect(events.toString()).toMatch(new RegExp(`"completion_tokens":${TOKENS}[^]*data: \\[DONE\\]\n\n$`));
      expect(await exit).toEqual([0, null]);
    },
  );
});
