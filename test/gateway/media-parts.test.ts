import { expect, it } from 'vitest';
import { findMediaParts } from '../../src/relay-serving/token-bounds.js';
import { promptBoundOf } from '../../src/relay-serving/index.js';
import { scanRequest } from '../../src/relay/index.js';

const PAID = { isFree: false };
const image = `data:image/png;base64,${'A'.repeat(300_000)}`;

function bodyOf(...content: readonly object[]): Buffer {
  return Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }));
}

const imagePart = { type: 'image_url', image_url: { url: image } };
const textOf = (text: string): object => ({ type: 'text', text });

it('an image counts as tokens of its own, and its base64 not as text', () => {
  const [plain, seen] = [bodyOf(textOf('What is it?')), bodyOf(textOf('What is it?'), imagePart, imagePart)];
  expect(findMediaParts(seen, scanRequest(seen))).toEqual({ count: 2, bytes: 2 * (image.length + 2) });
  const more = promptBoundOf(PAID, seen, scanRequest(seen)) - promptBoundOf(PAID, plain, scanRequest(plain));
  expect(more).toBeGreaterThanOrEqual(2 * 2_048);
  expect(more).toBeLessThan(2 * 2_048 + 100);
});

it.each([
  ['text that only begins like one', textOf(`data:image/png, and then ${'words '.repeat(1_000)}`)],
  ['text of another kind', textOf(`data:text/plain;base64,${'A'.repeat(9_000)}`)],
  ['a head that is too long', textOf(`data:image/${'p'.repeat(100)};base64,${'A'.repeat(9_000)}`)],
  ['text within a text', textOf(`see "data:image/png;base64,${'A'.repeat(9_000)}"`)],
])('%s is text', (_, part) => {
  const body = bodyOf(part);
  expect(findMediaParts(body, scanRequest(body))).toEqual({ count: 0, bytes: 0 });
});

it('an escaped slash is a slash, and a prompt that is no conversation has no parts', () => {
  const escaped = Buffer.from(bodyOf(imagePart).toString().replace('image/png', 'image\\/png'));
  expect(findMediaParts(escaped, scanRequest(escaped)).count).toBe(1);
  const other = Buffer.from(JSON.stringify({ model: 'm', tools: [image] }));
  expect(findMediaParts(other, scanRequest(other)).count).toBe(0);
});
