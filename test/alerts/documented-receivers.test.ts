// What docs/alerts.md tells receivers to do, run as it is written.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { present } from '../../src/base/index.js';
import { parseWebhookSecret, toSignedHeaders } from '../../src/alerts/signature.js';
import { SECRET } from './start-receiver.js';

const document = readFileSync('docs/alerts.md', 'utf8');
const blockOf = (language: string): string =>
  present(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(document)?.[1], `there is a block of ${language}`);

const body = '{"type":"test","data":{"webhook":"ö"}}';
const headersAt = (timestamp: number) =>
  toSignedHeaders(parseWebhookSecret(SECRET, 'ops'), { id: 'msg_a', timestamp, body });
const nowS = Math.floor(Date.now() / 1000);
const cases = [
  { headers: headersAt(nowS), body },
  { headers: headersAt(nowS), body: body.replace('test', 'tast') },
  { headers: { ...headersAt(nowS), 'webhook-id': 'msg_b' }, body },
  { headers: headersAt(nowS - 3_600), body },
];
const EXPECTED = [true, false, false, false];

describe('the receiver of docs/alerts.md', () => {
  it('in Node takes what was signed, and nothing else', async () => {
    const url = `data:text/javascript,${encodeURIComponent(blockOf('js'))}`;
    const { verify } = (await import(/* @vite-ignore */ url)) as {
      verify: (headers: object, body: Uint8Array, secret: string) => boolean;
    };
    expect(cases.map((one) => verify(one.headers, Buffer.from(one.body), SECRET))).toEqual(EXPECTED);
  });

  const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;
  // Where there is no Python of 2020 or later.
  it.skipIf(!hasPython)('in Python does the same', () => {
    const program = `${blockOf('python')}
import json, sys
for one in json.load(sys.stdin):
    print(verify(one["headers"], one["body"].encode(), "${SECRET}"))
`;
    const { stdout, stderr } = spawnSync('python3', ['-c', program], {
      input: JSON.stringify(cases),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toEqual(EXPECTED.map((is) => (is ? 'True' : 'False')));
  });
});
