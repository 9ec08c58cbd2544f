import { describe, expect, it } from 'vitest';
import { compareFingerprint, runtimeKinds, type Finding, type RuntimeKindName } from '../../src/gateway/index.js';
import { toFingerprint } from '../../src/gateway/discovery/fingerprint.js';
import { imitations } from './imitations/index.js';
import { findingOf } from './imitations/scanning.js';
import { modelList, type Imitation } from './imitations/pages.js';
import { serveImitation } from './imitations/serve.js';

const fingerprintOf = async (imitation: Imitation): Promise<string> => {
  await using served = await serveImitation(imitation);
  const finding: Finding | undefined = await findingOf(served);
  return finding !== undefined && 'fingerprint' in finding ? finding.fingerprint : expect.fail('none');
};
const { ollama, vllm } = imitations;
const withPages = (imitation: Imitation, pages: Imitation['pages']): Imitation => ({
  ...imitation,
  pages: { ...imitation.pages, ...pages },
});

describe('the fingerprint of a runtime', () => {
  it('stays when it is updated, has other models, or wants a key', async () => {
    const updated = withPages(ollama, { '/api/version': { version: '1.2.3' }, '/v1/models': modelList() });
    expect(await fingerprintOf(updated)).toBe(await fingerprintOf(ollama));
    const { 'llama.cpp': llama } = imitations;
    const locked = withPages(llama, { '/props': { isPage: true, status: 401, body: { error: {} } } });
    expect(await fingerprintOf(locked)).toBe(await fingerprintOf(llama));
  });

  it('is another one where another kind listens, or another server of the same kind', async () => {
    const known = await fingerprintOf(vllm);
    const other = await fingerprintOf(imitations.sglang);
    expect(compareFingerprint(known, known)).toEqual({ isSame: true });
    expect(compareFingerprint(known, other)).toEqual({ isSame: false, change: 'its kind was vllm and is now sglang' });
    const proxied = await fingerprintOf({ ...vllm, headers: { server: 'nginx/1.29.1' } });
    expect(compareFingerprint(known, proxied)).toEqual({
      isSame: false,
      change: 'its server was uvicorn and is now nginx',
    });
  });

  it.each(['', 'x', '1:vllm', '2:vllm:-', '1:nothing:-', '1:vllm:-:-', '1:__proto__:-', '1:vllm:a b'])(
    'is not compared with something else: %j',
    (text) => {
      const isSame = compareFingerprint(text, toFingerprint('vllm', ''));
      expect(isSame).toEqual({ isSame: false, change: 'the remembered fingerprint is not of this version' });
    },
  );

  it.each(Object.keys(runtimeKinds) as RuntimeKindName[])('can be written for %s and read again', (kind) => {
    const other = kind === 'ollama' ? 'vllm' : 'ollama';
    expect(compareFingerprint(toFingerprint(kind, ''), toFingerprint(other, ''))).toEqual({
      isSame: false,
      change: `its kind was ${kind} and is now ${other}`,
    });
  });
});
