import { describe, expect, it } from 'vitest';
import { codeOf } from '../../src/base/index.js';
import { parseWebhookSecret, toSignedHeaders } from '../../src/alerts/signature.js';

describe('the signature of an alert', () => {
  it('is that of the example of Standard Webhooks', () => {
    const secret = parseWebhookSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'ops');
    const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
    const headers = toSignedHeaders(secret, { id, timestamp: 1614265330, body: '{"test": 2432232314}' });
    expect(headers).toEqual({
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  const bytes = (count: number): string => `whsec_${Buffer.alloc(count, 1).toString('base64')}`;

  it.each([24, 25, 26, 32, 64])('takes a secret of %i bytes', (count) => {
    expect(parseWebhookSecret(bytes(count), 'ops')).toHaveLength(count);
  });

  it.each([
    ['too short', bytes(23)],
    ['too long', bytes(65)],
    ['without its prefix', bytes(32).slice(6)],
    ['in hexadecimal with a prefix of another kind', `sk_${'ab'.repeat(32)}`],
    ['base64url', `${bytes(32).slice(0, -2)}-_`],
    ['empty', ''],
  ])('refuses a secret that is %s, and does not repeat it', (_, text) => {
    const refused = (): unknown => parseWebhookSecret(text, 'ops');
    try {
      refused();
      expect.unreachable();
    } catch (error) {
      expect(codeOf(error)).toBe('webhook_secret_missing');
      if (text !== '') expect((error as Error).message).not.toContain(text);
    }
  });
});
