// The first request that init prints, as a shell takes it apart.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { firstRequest } from '../../src/bin/private-gateway/init-output.js';
import { quoteForShell } from '../../src/bin/shell-words.js';

const LISTEN = { host: '127.0.0.1', port: 9440 };
const modelOf = (id: string) => ({ id, targets: [], maxOutputTokens: undefined, price: undefined });

describe.skipIf(process.platform === 'win32')('the first request', () => {
  /** What curl would be given by a shell. */
  const toArguments = (line: string): string[] => {
    const script = `curl() { for each; do printf '%s\\n' "$each"; done; }\n${line}`;
    const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.trimEnd().split('\n');
  };

  it('asks the first model that chats, whatever its name has for a shell', () => {
    const id = String.raw`it's$HOME"\x;&`;
    const models = ['nomic-embed-text', id, 'b'].map(modelOf);
    const [url, , authorization, , type, , body = ''] = toArguments(firstRequest({ listen: LISTEN, models }, 'gwk_x'));
    expect([url, authorization, type]).toEqual([
      'http://127.0.0.1:9440/v1/chat/completions',
      'Authorization: Bearer gwk_x',
      'Content-Type: application/json',
    ]);
    expect(JSON.parse(body)).toEqual({ model: id, messages: [{ role: 'user', content: 'Hello' }] });
  });

  it('asks for the models where there are none, at an address that can be connected to', () => {
    const urlOf = (host: string): string | undefined =>
      toArguments(firstRequest({ listen: { host, port: 1 }, models: [] }, 'gwk_x'))[0];
    expect(['0.0.0.0', '::', '::1', 'localhost'].map(urlOf)).toEqual([
      'http://127.0.0.1:1/v1/models',
      'http://[::1]:1/v1/models',
      'http://[::1]:1/v1/models',
      'http://localhost:1/v1/models',
    ]);
  });

  it('leaves plain words as they are', () => {
    expect(['gateway.yaml', '/a/b-c_1', 'a b', "a'b", ''].map(quoteForShell)).toEqual([
      'gateway.yaml',
      '/a/b-c_1',
      "'a b'",
      String.raw`'a'\''b'`,
      "''",
    ]);
  });
});
