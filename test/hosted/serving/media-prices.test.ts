// Prices of images and sounds: a piece for each part of a request, beside the tokens that the provider counts for them.
import { expect, it } from 'vitest';
import { openEvents, startRuntime, whole } from '../../gateway/serving/runtime.js';
import { overTransports } from '../../http/over-transports.js';
import { ask } from '../../relay/raw-upstream.js';
import { chat, providerAt, settledOf, startHosted } from './start-hosted.js';
import { chatBody, type FileParts, headerOf } from '../../support/start-product.js';

/** The usage that OpenAI reports of a chat with images and sounds: their tokens are part of the sums. */
const USAGE = {
  prompt_tokens: 1_234,
  completion_tokens: 211,
  total_tokens: 1_445,
  prompt_tokens_details: { cached_tokens: 128, text_tokens: 34, audio_tokens: 300, image_tokens: 900 },
  completion_tokens_details: { reasoning_tokens: 64, text_tokens: 7, audio_tokens: 140 },
};
/** 1,106 × 333 + 128 × 33 + 211 × 1,001 + 7 + 2 × 1,234,567 + 1 × 7,654,321 nano-units. */
const NANO = 1_106n * 333n + 128n * 33n + 211n * 1_001n + 7n + 2n * 1_234_567n + 7_654_321n;
const PRICE = {
  inputNano: 333n,
  cachedInputNano: 33n,
  outputNano: 1_001n,
  requestNano: 7n,
  imageNano: 1_234_567n,
  audioNano: 7_654_321n,
};
const IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
const AUDIO = { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } };
const TEXT = { type: 'text', text: 'what is "type":"image_url" and {"type": "input_audio"}?' };
const answerOf = (usage: object): string =>
  JSON.stringify({ id: 'c', choices: [{ index: 0, message: { role: 'assistant', audio: { data: 'AA==' } } }], usage });
const messagesOf = (...content: readonly object[]): FileParts => ({ messages: [{ role: 'user', content }] });

overTransports('images and sounds', (transport) => {
  const listen = { listen: { port: 0, transport } };

  it('are charged by the piece beside their tokens, streamed and not, rounded up once', async () => {
    await using provider = await startRuntime((asked, socket) => {
      if (!asked.body.includes('"stream":true')) return void socket.write(whole(answerOf(USAGE)));
      const events = openEvents(socket);
      events.write('data: {"choices":[{"index":0,"delta":{"audio":{"data":"AA=="}}}]}\n\n');
      events.write(`data: ${JSON.stringify({ choices: [], usage: USAGE })}\n\n`);
      events.end();
    });
    await using node = await startHosted({ providers: [providerAt(provider.url)], ...listen });
    await node.price('demo', PRICE);
    const payer = await node.payer();
    const parts = messagesOf(IMAGE, TEXT, AUDIO, IMAGE);
    const got = await chat(node, payer, parts);
    expect([got.status, got.body.toString()]).toEqual([200, answerOf(USAGE)]);
    expect(provider.asked[0]?.body).toBe(chatBody(parts));
    await chat(node, payer, { ...parts, stream: true, stream_options: { include_usage: true } });
    const generations = await settledOf(node, payer, 2);
    const cost = (NANO + 999n) / 1_000n;
    for (const generation of generations) {
      expect(generation).toMatchObject({
        state: 'settled',
        promptTokens: 1_234,
        cachedTokens: 128,
        completionTokens: 211,
        reasoningTokens: 64,
        isEstimated: false,
        costMicro: cost,
      });
    }
    const { availableMicro, heldMicro } = await node.billing.accounts.get(payer.account.id);
    expect([availableMicro, heldMicro]).toEqual([100_000_000n - 2n * cost, 0n]);
    const shown = await ask(
      node.port,
      'GET',
      `/v1/generations/${headerOf(got, 'x-generation-id')}`,
      '',
      undefined,
      payer.headers,
    );
    expect(JSON.parse(shown.body.toString())).toMatchObject({ cost: '0.010708' });
    expect(await node.billing.ledger.verify()).toMatchObject({ faults: [] });
  });

  it('are counted on the paths of every API, of a provider and of a connected gateway', async () => {
    const answers: Readonly<Record<string, string>> = {
      'chat/completions': answerOf({ prompt_tokens: 0, completion_tokens: 0 }),
      responses: '{"object":"response","status":"completed","output":[],"usage":{"input_tokens":0,"output_tokens":0}}',
      messages: '{"type":"message","content":[],"usage":{"input_tokens":0,"output_tokens":0}}',
    };
    await using provider = await startRuntime(({ target }, socket) => {
      const found = Object.entries(answers).find(([path]) => target.endsWith(path));
      socket.write(whole(found?.[1] ?? '{}'));
    });
    const paths = [
      { path: '/v1/chat/completions', dialect: 'chat-completions' },
      { path: '/v1/responses', dialect: 'responses' },
      { path: '/v1/messages', dialect: 'messages' },
    ];
    const gateways = { allow_private: ['127.0.0.0/8'] };
    await using node = await startHosted({ providers: [providerAt(provider.url, { paths })], gateways, ...listen });
    const nothing = { inputNano: 0n, cachedInputNano: 0n, outputNano: 0n };
    const prices = { ...nothing, imageNano: 1_000_000n, audioNano: 1_000n };
    await node.price('up', prices);
    await node.price('up', { ...prices, provider: 'pgw/lab' });
    await node.operate('gateways.add', { slug: 'lab', name: 'Lab', base_url: provider.url });
    const payer = await node.payer();
    const source = { type: 'base64', media_type: 'image/png', data: 'AA==' };
    const requests = [
      ['chat/completions', messagesOf(IMAGE, AUDIO, TEXT)],
      ['responses', { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://x' }, AUDIO] }] }],
      ['messages', messagesOf({ type: 'image', source }, { type: 'input_audio' }, TEXT)],
    ] as const;
    let sent = 0;
    for (const base of ['/up/v1', '/pgw/lab/v1']) {
      for (const [path, parts] of requests) {
        const body = JSON.stringify({ model: 'up', max_tokens: 5, ...parts });
        const got = await ask(node.port, 'POST', `${base}/${path}`, body, undefined, payer.headers);
        expect([path, got.status, got.body.toString()]).toEqual([path, 200, answers[path]]);
        const [generation] = await settledOf(node, payer, ++sent);
        expect([base, path, generation?.costMicro]).toEqual([base, path, 1_001n]);
      }
    }
  });

  it('are rounded up once, whatever their number', async () => {
    await using provider = await startRuntime(
      (_, socket) => void socket.write(whole(answerOf({ prompt_tokens: 0, completion_tokens: 0 }))),
    );
    await using node = await startHosted({ providers: [providerAt(provider.url)], ...listen });
    await node.price('demo', { inputNano: 0n, cachedInputNano: 0n, outputNano: 0n, imageNano: 1n, audioNano: 1n });
    const payer = await node.payer();
    const costs: (bigint | undefined)[] = [];
    for (const [i, [images, audios]] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [500, 500],
      [501, 500],
      [2_000, 1],
    ].entries()) {
      const content = [
        ...Array.from({ length: images ?? 0 }, () => ({ type: 'image_url' })),
        ...Array.from({ length: audios ?? 0 }, () => ({ type: 'audio_url' })),
      ];
      await chat(node, payer, messagesOf(...content));
      costs.push((await settledOf(node, payer, i + 1))[0]?.costMicro);
    }
    expect(costs).toEqual([0n, 1n, 1n, 1n, 2n, 3n]);
  });

  it('are reserved: who cannot pay a piece is refused, and a failed request costs none', async () => {
    await using provider = await startRuntime((_, socket) => void socket.write(whole('{"error":"no"}', 400)));
    await using node = await startHosted({ providers: [providerAt(provider.url)], ...listen });
    await node.price('demo', { imageNano: 2_000_000_000n });
    const poor = await node.payer(1);
    expect((await chat(node, poor, messagesOf(IMAGE))).status).toBe(402);
    expect(provider.asked).toEqual([]);
    const rich = await node.payer(10);
    expect((await chat(node, rich, messagesOf(IMAGE))).status).toBe(400);
    expect(await settledOf(node, rich)).toMatchObject([{ state: 'voided', costMicro: 0n }]);
    expect((await node.billing.accounts.get(rich.account.id)).availableMicro).toBe(10_000_000n);
  });
});

it('parts are counted however their types are written, and texts are no parts', async () => {
  await using provider = await startRuntime(
    (_, socket) => void socket.write(whole(answerOf({ prompt_tokens: 0, completion_tokens: 0 }))),
  );
  await using node = await startHosted({ providers: [providerAt(provider.url)] });
  await node.price('demo', {
    inputNano: 0n,
    cachedInputNano: 0n,
    outputNano: 0n,
    imageNano: 1_000n,
    audioNano: 1_000_000n,
  });
  const payer = await node.payer();
  const blanks = ' \\t\\r\\n'
    .repeat(60)
    .replace(/\\(.)/g, (_, letter: string) => ({ t: '\t', r: '\r', n: '\n' })[letter] ?? '');
  const escaped = [...'input_image']
    .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
  const contents: readonly (readonly [content: string, cost: bigint])[] = [
    ['{"type":"image_url"}', 1n],
    [`{"type"${blanks}:${blanks}"image_url"}`, 1n],
    ['{"\\u0074ype":"image_url"}', 1n],
    ['{"t\\u0079\\u0070e":"image\\u005Furl"}', 1n],
    [`{"type":"${escaped}"}`, 1n],
    ['{"\\u0074\\u0079\\u0070\\u0065":"input\\u005faudio"},{"type":"image"}', 1_001n],
    ['{"a\\"type":"image_url"}', 0n],
    ['{"text":"\\"type\\":\\"image_url\\""}', 0n],
    ['{"text":"\\\\","x":"type"},{"x":"image_url"}', 0n],
    ['{"text":"\\u0074ype"},"type",{"type":["image_url"]},{"type":{"type":1}}', 0n],
    ['{"types":"image_url"},{"type":"image_url2"},{"type":"\\n"}', 0n],
    [`{"type":"${'image_url'.repeat(50)}"}`, 0n],
  ];
  const costs: (readonly [string, bigint | undefined])[] = [];
  for (const [i, [content]] of contents.entries()) {
    const body = `{"model":"demo","messages":[{"role":"user","content":[${content}]}]}`;
    expect(() => JSON.parse(body)).not.toThrow();
    await ask(node.port, 'POST', '/up/v1/chat/completions', body, undefined, payer.headers);
    costs.push([content, (await settledOf(node, payer, i + 1))[0]?.costMicro]);
  }
  expect(costs).toEqual(contents);
});
