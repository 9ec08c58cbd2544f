import { execFile } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock, toErrorData } from '../../src/base/index.js';
import { judges } from '../../src/bin/native-engine/serving/serve-config.js';
import { demoDirectory } from '../../src/models/index.js';
import { prepareStart } from '../../src/server/index.js';
import { generateKeyFiles, readPrivateKey, signArtifact } from '../../src/signing/index.js';
import { runInProcess, type Printed } from '../cli/run-in-process.js';
import { decide, startDimensions, startRows, type StartRow } from '../repo/start-table.js';
import { createCa, createFiles, forServer } from './certificates.js';

// A start that must not be: every combination of the table over real files, without a socket in sight.
const files = createFiles();
const artifacts = new Map<StartRow['artifact'], string>();
const keys = new Map<StartRow['keys'], string[]>([['none', []]]);
const certificates = new Map<StartRow['files'], object>([['none given', {}]]);
const isRoot = process.getuid?.() === 0;

beforeAll(async () => {
  const trustDir = join(files.directory, 'trust');
  const [right, another] = await Promise.all(
    ['right', 'another'].map((name) => generateKeyFiles(join(files.directory, name))),
  );
  if (!right || !another) throw new Error('two key pairs');
  const sign = async (name: StartRow['artifact'], key: string | undefined): Promise<string> => {
    const directory = join(files.directory, name.replaceAll(' ', '-'));
    cpSync(demoDirectory(), directory, { recursive: true });
    artifacts.set(name, directory);
    if (key !== undefined) await signArtifact(directory, { seed: (await readPrivateKey(key)).seed, trustDir });
    return directory;
  };
  await sign('signed', right.privateKeyFile);
  await sign('unsigned', undefined);
  await sign('signed by another', another.privateKeyFile);
  const tampered = join(await sign('tampered', right.privateKeyFile), 'tokenizer.bin');
  const bytes = readFileSync(tampered);
  bytes[1_000] = (bytes[1_000] ?? 0) ^ 1;
  writeFileSync(tampered, bytes);
  keys.set('right', [right.publicKey]);
  keys.set('other', [(await generateKeyFiles(join(files.directory, 'third'))).publicKey]);
  keys.set('malformed', [right.publicKey.slice(1)]);

  const ca = await createCa();
  const [server, other, expired] = await Promise.all([
    forServer(ca),
    forServer(ca),
    forServer(ca, { fromHours: -5, hours: 2 }),
  ]);
  files.write('ca.pem', ca.cert);
  const given = (name: string, cert: string, key: string, mode?: number): object => {
    files.write(`${name}.pem`, cert);
    files.write(`${name}.key`, key, mode);
    return { server_cert_path: `${name}.pem`, server_key_path: `${name}.key`, client_ca_path: 'ca.pem' };
  };
  certificates.set('right', given('right', server.cert, server.key));
  certificates.set('mismatched', given('mismatched', server.cert, other.key));
  certificates.set('expired', given('expired', expired.cert, expired.key));
  certificates.set('world-readable key', given('open', server.cert, server.key, 0o604));
  certificates.set('missing', { ...given('gone', server.cert, server.key), server_cert_path: 'nothing.pem' });
  certificates.set('unreadable', given('closed', server.cert, server.key, 0o000));
});
afterAll(() => files[Symbol.dispose]());

function writeConfig(row: StartRow, parts: { readonly engine?: object; readonly hardware?: object } = {}): string {
  return files.write(
    'engine.json',
    JSON.stringify({
      engine: { grpc_port: 0, ...parts.engine },
      security: {
        mtls_required: row.mtls,
        allow_unsigned_dev: row.allowUnsigned,
        trusted_signing_keys: keys.get(row.keys),
        control_identities: ['spiffe://suite.test/control'],
        data_identities: ['spiffe://suite.test/data'],
        ...certificates.get(row.files),
      },
      model: { artifact_path: artifacts.get(row.artifact) },
      ...(parts.hardware && { hardware: parts.hardware }),
    }),
  );
}

/** What a start came to, in the words of the table. */
async function outcomeOf(
  row: StartRow,
): Promise<{ readonly code?: string; readonly message?: string; readonly warns: boolean }> {
  try {
    const { warnings } = await prepareStart(writeConfig(row), judges, systemClock);
    return { warns: warnings.length > 0 };
  } catch (error) {
    return { ...toErrorData(error), warns: false };
  }
}

describe('the table of starts', () => {
  it('is what real files come to, row by row', async () => {
    const rows = startRows().filter(({ files: state }) => !isRoot || state !== 'unreadable');
    expect(rows.length).toBe(2 * 2 * 4 * (isRoot ? 6 : 7) * 4);
    const wrong: object[] = [];
    for (const row of rows) {
      const expected = decide(row);
      const found = await outcomeOf(row);
      const isRight =
        found.code === expected.code &&
        found.warns === expected.warns &&
        (expected.text === undefined || expected.text.test(found.message ?? ''));
      if (!isRight) wrong.push({ row, expected, found });
    }
    expect(wrong).toEqual([]);
  });

  it('has every state of every dimension, and refuses more than it lets start', () => {
    const starts = startRows().filter((row) => decide(row).name === 'starts');
    expect(starts.length).toBeLessThan(startRows().length / 4);
    // A configuration that follows the rules to the letter starts without a warning.
    const strict = starts.filter(({ mtls, allowUnsigned }) => mtls && !allowUnsigned);
    expect(strict).toEqual([{ mtls: true, allowUnsigned: false, keys: 'right', files: 'right', artifact: 'signed' }]);
    expect(startDimensions.artifact.every((artifact) => startRows().some((row) => row.artifact === artifact))).toBe(
      true,
    );
  });
});

describe('native-engine serve --config', () => {
  const commandOf = (file: string, more: readonly string[]): string[] => ['serve', '--config', file, ...more];
  const run = (row: StartRow, ...more: string[]): Promise<Printed> => runFile(writeConfig(row), ...more);
  const runFile = (file: string, ...more: string[]): Promise<Printed> => runInProcess(commandOf(file, more));
  const runApart = async (row: StartRow, ...more: string[]): Promise<Printed> => {
    const words = ['dist/src/bin/native-engine.js', ...commandOf(writeConfig(row), more)];
    return promisify(execFile)(process.execPath, words, { env: { ...process.env, NO_COLOR: '1' } }).then(
      ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        status: code,
        stdout,
        stderr,
      }),
    );
  };
  const right: StartRow = { mtls: true, allowUnsigned: false, keys: 'right', files: 'right', artifact: 'signed' };

  it.each<[string, Partial<StartRow>]>([
    ['no signing key', { keys: 'none' }],
    ['malformed key', { keys: 'malformed' }],
    ['mismatched', { files: 'mismatched' }],
    ['tampered', { artifact: 'tampered' }],
    ['signed by another', { artifact: 'signed by another' }],
  ])('exits with 3 and says why: %s', async (name, change) => {
    const row = { ...right, ...change };
    const { status, stdout, stderr } = await run(row);
    expect(decide(row).name).toBe(name);
    expect(status).toBe(3);
    expect(stderr).toMatch(decide(row).text ?? /^$/);
    expect(stderr).toContain(`code: ${decide(row).code}`);
    expect(stdout).toBe('');
  });

  it('ends a process with the same status and texts as the command in this process', async () => {
    const refused = { ...right, keys: 'none' } as const;
    expect(await runApart(refused)).toEqual(await run(refused));
    expect(await runApart(right, '--check')).toEqual(await run(right, '--check'));
  });

  it('--check says what would be served, and listens nowhere', async () => {
    const { status, stdout, stderr } = await run(right, '--check');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('engine.json can be served.');
    expect(stdout).toMatch(/^control +spiffe:\/\/suite\.test\/control$/m);
    expect(stdout).toMatch(/^data +spiffe:\/\/suite\.test\/data$/m);
    expect(stdout).toMatch(/^signature +by [0-9a-f]{64}; 1 trusted keys$/m);
    expect(stdout).not.toContain('listening');
  });

  it.each([
    ['a backend that is not here', { hardware: { backend: 'metal' } }, 'backend_unavailable'],
    // TEST-NET-1 of RFC 5737, which no machine has.
    ['an address that is not here', { engine: { listen_address: '192.0.2.1' } }, 'address_unavailable'],
  ])('--check refuses what serve refuses: %s', async (_, parts, code) => {
    const [checked, served] = [
      await runFile(writeConfig(right, parts), '--check'),
      await runFile(writeConfig(right, parts)),
    ];
    expect(checked.stderr).toContain(`code: ${code}`);
    expect([checked.status, checked.stdout]).toEqual([served.status, '']);
    expect(served.stderr).toContain(`code: ${code}`);
  });

  it('--check hashes the weights too', async () => {
    const weights = join(artifacts.get('signed') ?? '', 'weights.bin');
    const bytes = readFileSync(weights);
    const changed = Buffer.from(bytes);
    changed[9_999] = (changed[9_999] ?? 0) ^ 1;
    writeFileSync(weights, changed);
    const { status, stderr } = await run(right, '--check');
    writeFileSync(weights, bytes);
    expect(status).toBe(3);
    expect(stderr).toContain('code: signature_invalid');
  });

  it('asks for --config, and for options that have an effect', async () => {
    chmodSync(join(files.directory, 'engine.json'), 0o600);
    const refused = await run(right, '--backend', 'cpu');
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('hardware.backend');
  });
});
