import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startServing } from './serving.js';

it('an answer about a model that cannot be loaded has no path of the server', async () => {
  await using serving = await startServing();
  const { modelsDir, cacheDir } = serving;
  mkdirSync(join(modelsDir, 'org', 'broken'), { recursive: true });
  writeFileSync(join(modelsDir, 'org', 'broken', 'artifact.json'), '{"format":');
  writeFileSync(join(modelsDir, 'org', 'broken', 'config.json'), '{}');
  writeFileSync(join(modelsDir, 'torn.gguf'), 'GGUF and no more');
  const messages = [{ role: 'user', content: 'hello' }];
  for (const model of [
    'org/broken',
    'torn',
    'torn.gguf',
    join(modelsDir, 'torn.gguf'),
    '../x',
    join(cacheDir, 'none'),
  ]) {
    for (const [path, body] of [
      ['/v1/chat/completions', { model, messages }],
      ['/v1/messages', { model, messages, max_tokens: 1 }],
      ['/api/chat', { model, messages, stream: true }],
      ['/api/show', { model }],
      ['/api/embed', { model, input: 'x' }],
    ] as const) {
      const response = await serving.post(path, body);
      const text = await response.text();
      expect([path, response.status >= 400, text.includes('error')]).toEqual([path, true, true]);
      expect(text).not.toContain(modelsDir);
      expect(text).not.toContain(cacheDir);
    }
  }
});
