// `sign_artifact`, and what `native-engine` says of signed models: what users read, word for word.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outputs } from '../../src/bin/native-engine/outputs/index.js';
import { Compile } from '../../src/schema/index.js';
import { writeSmall, vector } from '../artifact/small-artifact.js';
import { createTemporaryDirectory, type Ended } from './processes.js';
import { runHere } from './run-here.js';

const home = createTemporaryDirectory();
afterAll(home.remove);
const at = (...names: string[]): string => join(home.path, ...names);

/** Runs `sign_artifact` in the home of this suite. */
const sign = (...args: string[]): Promise<Ended> =>
  runHere(args, home.path, '', { program: 'sign-artifact', cwd: home.path });
const engine = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
  runHere(args, home.path, '', { cwd: home.path, env });

/** Output with keys and paths as words. */
function toWords(text: string): string {
  const keys = ['me', 'you', 'other'].map((name) => [name, readFileSync(at(`${name}.pub`), 'utf8').trim()] as const);
  const named = keys.reduce((all, [name, key]) => all.replaceAll(key, `KEY OF ${name}`), text);
  return named.replaceAll(home.path, 'HOME').replaceAll(/"sig":"[^"]*"/g, '"sig":"…"');
}
const key = (name: string): string => readFileSync(at(`${name}.pub`), 'utf8').trim();

beforeAll(async () => {
  for (const name of ['me', 'you', 'other']) expect((await sign('keygen', name)).code).toBe(0);
  cpSync(join(process.cwd(), 'dist/demo'), at('model'), { recursive: true });
  cpSync(at('model'), at('unsigned'), { recursive: true });
  cpSync(join(process.cwd(), 'test/vectors/gguf/llama-q4_0.gguf'), at('tiny.gguf'));
  expect((await sign('sign', 'me.key', 'model')).code).toBe(0);
  cpSync(at('model'), at('changed'), { recursive: true });
  writeFileSync(at('changed', 'config.json'), readFileSync(at('changed', 'config.json'), 'utf8').replace('1', '2'));
  cpSync(at('model'), at('broken'), { recursive: true });
  writeFileSync(at('broken', 'signature.json'), '{}');
});

describe('sign_artifact', () => {
  it('says what it made, signed and verified', async () => {
    const made = await sign('keygen', 'fourth');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toMatch(
      /^private key: fourth\.key \(keep it secret\)\npublic key: {2}fourth\.pub\n[0-9a-f]{64}\n$/,
    );
    const signed = await sign('sign', 'you.key', 'model', '--bundle', 'bundle.json');
    expect({ ...signed, stdout: toWords(signed.stdout) }).toEqual({
      code: 0,
      stdout: 'model: signed demo (q8), revision 1, 2 signatures in all\n  signed by KEY OF you\n',
      stderr: '',
    });
    const verified = await sign('verify', 'model', '--key', key('you'), '--key', key('me'));
    const keys = [key('me'), key('you')].toSorted();
    expect(verified).toEqual({
      code: 0,
      stdout: [
        'model: verified',
        '  model     demo (q8), revision 1',
        '  content   7 files, 3.0 MiB: every byte is as signed',
        `  signed by ${keys[0]}`,
        `            ${keys[1]}`,
        '',
      ].join('\n'),
      stderr: '',
    });
    const json = await sign('verify', 'model', '--key', key('me'), '--json');
    expect(JSON.parse(json.stdout)).toEqual({
      directory: 'model',
      id: 'demo',
      quant: 'q8',
      state: 'trusted',
      keys: [key('me')],
      revision: 1,
      files: 7,
      sizeBytes: expect.any(Number),
    });
  });

  it('holds a model against its checksums without a key, and says that no signature was checked', async () => {
    const whole = await engine(['verify', 'unsigned']);
    expect(whole).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^unsigned: whole\n {2}model {5}demo \(q8\)\n.+every byte is what its manifest says\n {2}signature not checked: .+; it has none\n$/,
      ),
      stderr: '',
    });
    const json = await engine(['verify', 'model', '--json']);
    const line: unknown = JSON.parse(json.stdout);
    expect(line).toMatchObject({ state: 'unchecked', isSigned: true, keys: [], revision: null, files: 7 });
    expect([...Compile(outputs.verify).Errors(line)]).toEqual([]);
    cpSync(at('unsigned'), at('damaged'), { recursive: true });
    const weights = readFileSync(at('damaged', 'weights.bin'));
    weights.writeUInt8(weights.readUInt8(5_000) ^ 1, 5_000);
    writeFileSync(at('damaged', 'weights.bin'), weights);
    const damaged = await engine(['verify', 'damaged']);
    expect(damaged.stderr).toMatch(/\ncode: artifact_corrupt\n$/);
    expect(damaged.code).not.toBe(0);
    expect((await engine(['verify', 'unsigned', '--bundle', 'x.json'])).stderr).toContain(
      'there is no key to verify with',
    );
  });

  it('takes a signature in a file of its own into an artifact', async () => {
    cpSync(at('unsigned'), at('taken'), { recursive: true });
    expect(await sign('export', 'model', '--key', key('me'), '--bundle', 'mine.json')).toEqual({
      code: 0,
      stdout: 'mine.json: a signature of model\n',
      stderr: '',
    });
    const taken = await sign('import', 'taken', '--bundle', 'mine.json', '--key', key('me'));
    expect([taken.code, taken.stderr]).toEqual([0, '']);
    expect((await sign('verify', 'taken', '--key', key('me'))).code).toBe(0);
  });

  it('says that the content was changed, and that other users can read a key', async () => {
    await writeSmall(at('small'), [vector('norm', 13)]);
    await sign('sign', 'me.key', 'small');
    const signature = readFileSync(at('small', 'signature.json'));
    rmSync(at('small'), { recursive: true });
    await writeSmall(at('small'), [vector('norm', 14)]);
    writeFileSync(at('small', 'signature.json'), signature);
    cpSync(at('me.key'), at('exposed.key'));
    const { chmodSync } = await import('node:fs');
    chmodSync(at('exposed.key'), 0o644);
    const ended = await sign('sign', 'exposed.key', 'small');
    expect({ ...ended, stdout: toWords(ended.stdout) }).toEqual({
      code: 0,
      stdout:
        'small: signed small (q8), revision 2\n  raised, since manifest.json is not the file that was signed; the earlier signatures are removed\n  signed by KEY OF me\n',
      stderr: 'warning: other users of this machine can read exposed.key; take that right away: chmod 600\n',
    });
  });

  const trusted = (name: string): string[] => ['--key', `KEY OF ${name}`];
  it.each<[string[], number, string, string]>([
    [
      ['keygen', 'me'],
      2,
      'signing_key_exists',
      'me.key is there already, and a key is never overwritten; choose another name',
    ],
    [
      ['keygen', 'keys/'],
      2,
      'invalid_arguments',
      'the name of a key is "keys/", but must be that of a file, such as me or keys/me.',
    ],
    [
      ['keygen', 'none/me'],
      2,
      'path_invalid',
      'none/me.key cannot be written: a part of the path is not there; choose another path',
    ],
    [
      ['sign', 'me.pub', 'model'],
      2,
      'signing_key_invalid',
      'me.pub is no private key; give the .key file that sign_artifact keygen wrote, or another Ed25519 key in PKCS#8 (PEM) without a password',
    ],
    [
      ['sign', 'none.key', 'model'],
      2,
      'path_invalid',
      'none.key cannot be read: a part of the path is not there; choose another path',
    ],
    [['sign', 'me.key', 'none'], 2, 'artifact_not_found', 'there is no artifact at none: it has no manifest.json'],
    [
      ['sign', 'me.key', 'changed'],
      2,
      'artifact_corrupt',
      'the artifact changed is damaged: config.json is altered: its SHA-256 is another; convert or fetch it again',
    ],
    [
      ['sign', 'me.key', 'broken'],
      3,
      'signature_invalid',
      'the signed model broken is refused: signature.json is no DSSE envelope with 1 to 16 signatures (payload, payloadType, signatures); fetch it again, or have it signed again',
    ],
    [
      ['verify', 'model'],
      2,
      'invalid_arguments',
      'there is no key to verify with: give --key HEX, the line in the .pub file of a signer that you trust, or set TROUPE_TRUSTED_KEYS.',
    ],
    [
      ['verify', 'model', '--key', 'me.pub'],
      2,
      'invalid_option',
      '--key is "me.pub", the path of a file and not a key: give the content of the .pub file; a public key is the 64 hexadecimal digits in a .pub file',
    ],
    [
      ['verify', 'model', '--key', 'abc'],
      2,
      'invalid_option',
      '--key is "abc", which has 3 characters and is not 64 hexadecimal digits; a public key is the 64 hexadecimal digits in a .pub file',
    ],
    [
      ['verify', 'model', '--key', '01'.padEnd(64, '0')],
      2,
      'invalid_option',
      '--key is "010000000000"…, which is a point of small order: every person can sign for it; a public key is the 64 hexadecimal digits in a .pub file',
    ],
    [
      ['verify', 'unsigned', ...trusted('me')],
      3,
      'signature_missing',
      'the model unsigned has no signature, and only models that a trusted key signed may be loaded; have it signed: sign_artifact sign <private key file> <artifact directory>',
    ],
    [
      ['verify', 'taken', ...trusted('other')],
      3,
      'signature_untrusted',
      "the model taken is signed by KEY OF me, and by no trusted key; fetch it from whom you trust, or, if that is the signer's key, trust it with --trusted-key (trustedKeys in the library)",
    ],
    [
      ['verify', 'changed', ...trusted('me')],
      3,
      'signature_invalid',
      'the signed model changed is refused: its content differs from the signed content (the artifact changed is damaged: config.json is altered: its SHA-256 is another; convert or fetch it again); fetch it again, or have it signed again',
    ],
    [['verify', 'unsigned', '--bundle', 'model', ...trusted('me')], 2, 'bundle_invalid', 'model is no file'],
    [
      ['verify', 'unsigned', '--bundle', 'unsigned/config.json', ...trusted('me')],
      2,
      'bundle_invalid',
      'unsigned/config.json is no Sigstore bundle and no DSSE envelope: it has no mediaType',
    ],
    [
      ['verify', 'unsigned', '--bundle', 'bundle.json', ...trusted('other')],
      3,
      'signature_untrusted',
      "the model unsigned is signed by no trusted key; fetch it from whom you trust, or, if that is the signer's key, trust it with --trusted-key (trustedKeys in the library)",
    ],
    [
      ['export', 'unsigned', '--bundle', 'no.json'],
      3,
      'signature_missing',
      'the model unsigned has no signature, and only models that a trusted key signed may be loaded; have it signed: sign_artifact sign <private key file> <artifact directory>',
    ],
    [
      ['export', 'model'],
      2,
      'invalid_arguments',
      'export: --bundle is missing. Usage: sign_artifact export [options] <artifact_dir> --bundle FILE. Example: sign_artifact export ./model --bundle model.sigstore.json',
    ],
    [
      ['verfy', 'model'],
      2,
      'unknown_command',
      'There is no command verfy. Did you mean verify? See sign_artifact --help.',
    ],
  ])('%j is refused', async (args, status, code, message) => {
    const {
      code: exit,
      stdout,
      stderr,
    } = await sign(...args.map((arg) => arg.replace(/^KEY OF (\w+)$/, (_, name) => key(String(name)))));
    expect({ exit, stdout, stderr: toWords(stderr) }).toEqual({
      exit: status,
      stdout: '',
      stderr: `error: ${message}\ncode: ${code}\n`,
    });
  });
});

describe('native-engine run', () => {
  const ask = ['--temperature', '0', 'What is 12 + 30?'];

  it('says of an unsigned model that it is only when asked, and of a signed one whose it is', async () => {
    const { code, stderr } = await engine(['run', './unsigned', ...ask]);
    expect([code, stderr]).toEqual([0, '']);
    const verbose = await engine(['run', './unsigned', '--verbose', ...ask]);
    expect(verbose.stderr).toContain('(the model is not signed: nothing says who made it)\n');
    const signed = await engine(['run', './taken', ...ask]);
    expect([signed.code, toWords(signed.stderr)]).toEqual([
      0,
      '(the model is signed by KEY OF me, and by no trusted key)\n',
    ]);
    const demo = await engine(['run', 'demo', ...ask]);
    expect([demo.code, demo.stderr]).toEqual([0, '']);
    expect(signed.stdout).toBe(demo.stdout);
  });

  it('loads what a trusted key signed, by the option or the environment', async () => {
    const required = ['run', './taken', '--require-signed'];
    const byOption = await engine([...required, '--trusted-key', key('me'), ...ask]);
    const byEnvironment = await engine([...required, ...ask], { TROUPE_TRUSTED_KEYS: `${key('other')},${key('me')}` });
    expect([byOption.code, byOption.stderr]).toEqual([0, '']);
    expect([byEnvironment.code, byEnvironment.stderr]).toEqual([0, '']);
  });

  it.each<[string[], Record<string, string>, number, string, RegExp]>([
    [
      ['./unsigned', '--require-signed', '--trusted-key', 'KEY OF me'],
      {},
      3,
      'signature_missing',
      /unsigned has no signature/,
    ],
    [['demo', '--require-signed', '--trusted-key', 'KEY OF me'], {}, 3, 'signature_missing', /has no signature/],
    [
      ['./taken', '--require-signed', '--trusted-key', 'KEY OF you'],
      {},
      3,
      'signature_untrusted',
      /is signed by KEY OF me, and by no/,
    ],
    [
      ['./tiny.gguf', '--require-signed', '--trusted-key', 'KEY OF me'],
      {},
      3,
      'signature_missing',
      /is a GGUF file, .*native-engine convert .*tiny\.gguf --out DIR/,
    ],
    [['./changed'], {}, 3, 'signature_invalid', /changed is refused: its content differs from the signed content/],
    [['./broken'], {}, 3, 'signature_invalid', /broken is refused: signature\.json is no DSSE/],
    [
      ['./taken', '--require-signed'],
      {},
      2,
      'invalid_option',
      /^error: --require-signed needs a key that is trusted: give --trusted-key HEX/,
    ],
    [
      ['./taken', '--trusted-key', 'KEY OF me'],
      {},
      2,
      'invalid_option',
      /--trusted-key alone refuses nothing: add --require-signed/,
    ],
    [
      ['./taken', '--require-signed', '--trusted-key', 'ff'],
      {},
      2,
      'invalid_option',
      /--trusted-key is "ff", which has 2 characters/,
    ],
    [
      ['./taken', '--require-signed'],
      { TROUPE_TRUSTED_KEYS: 'KEY OF me,' },
      2,
      'invalid_option',
      /TROUPE_TRUSTED_KEYS is empty/,
    ],
    [['demo'], { TROUPE_TRUSTED_KEYS: 'nonsense' }, 2, 'invalid_option', /TROUPE_TRUSTED_KEYS is "nonsense"/],
    [['./taken', '--trust-dir', ''], {}, 2, 'invalid_option', /--trust-dir is empty/],
  ])('%j with %j is refused', async (args, env, status, code, says) => {
    const toKeys = (text: string): string => text.replace(/KEY OF (\w+)/, (_, name) => key(String(name)));
    const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, toKeys(value)]));
    const ended = await engine(['run', ...args.map(toKeys), ...ask], variables);
    expect([ended.code, ended.stdout]).toEqual([status, '']);
    expect(toWords(ended.stderr)).toMatch(says);
    expect(ended.stderr).toMatch(new RegExp(`\\ncode: ${code}\\n$`));
  });
});

describe('native-engine verify', () => {
  it('verifies a model by its name in the models directory', async () => {
    mkdirSync(at('models'));
    cpSync(at('taken'), at('models', 'org_name'), { recursive: true });
    const { code, stdout, stderr } = await engine(['verify', 'org/name', '--models-dir', 'models', '--key', key('me')]);
    expect([code, stderr]).toEqual([0, '']);
    expect(toWords(stdout)).toBe(
      'HOME/models/org_name: verified\n  model     demo (q8), revision 1\n  content   7 files, 3.0 MiB: every byte is as signed\n  signed by KEY OF me\n',
    );
  });

  it('refuses with the same status as a load', async () => {
    const { code, stderr } = await engine(['verify', './changed', '--key', key('me')]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/\ncode: signature_invalid\n$/);
    expect((await engine(['verify', './tiny.gguf', '--key', key('me')])).stderr).toMatch(
      /\ncode: signature_missing\n$/,
    );
  });
});
