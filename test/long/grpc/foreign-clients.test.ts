import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProduction, type Production } from '../../grpc/production.js';
import { installPeers } from './peers.js';

const peers = await installPeers();
const run = promisify(execFile);
const skipped = (name: string): string =>
  peers.reasons[name] === undefined ? '' : `: skipped, ${peers.reasons[name]}`;

let production: Production;
beforeAll(async () => {
  production = await startProduction();
  for (const [name, { cert, key }] of Object.entries(production.issued)) {
    production.files.write(`${name}.pem`, cert);
    production.files.write(`${name}.key`, key);
  }
});
afterAll(() => production[Symbol.asyncDispose]());

const SERVICES = [
  'grpc.health.v1.Health',
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
  'troupe.engine.v1.Control',
  'troupe.engine.v1.Inference',
];
const answerOf = async (): Promise<string> => {
  const messages = [{ role: 'user', content: 'What is the capital of Norway?' }];
  const asked = { messages, max_tokens: 20, sampling: { temperature: 0 } };
  const { choices } = await production.client(production.issued.data).chat(asked);
  return choices[0]?.message?.content ?? '';
};
const read = (stdout: string): Record<string, unknown> => JSON.parse(stdout) as Record<string, unknown>;

describe.skipIf(peers.python === undefined)(`grpcio${skipped('python')}`, () => {
  it('chats, streams, cancels, keeps deadlines, watches health and lists services', async () => {
    const [program = '', script = ''] = peers.python ?? [];
    const { stdout } = await run(program, [
      script,
      String(production.server.port),
      production.files.directory,
      peers.generated,
    ]);
    const answer = await answerOf();
    expect(read(stdout)).toEqual({
      whole: answer,
      streamed: answer,
      cancelled: 'CANCELLED',
      id: 'python-1',
      late: 'DEADLINE_EXCEEDED',
      health: 1,
      services: SERVICES,
      refused: 'PERMISSION_DENIED',
      field: 'sampling.temperature',
      code: 'invalid_value',
      descriptors: 10,
      different: [],
    });
  });
});

describe.skipIf(peers.go === undefined)(`grpc-go${skipped('go')}`, () => {
  it('chats, streams, cancels, keeps deadlines, watches health and lists services', async () => {
    const { stdout } = await run(peers.go ?? '', [String(production.server.port), production.files.directory]);
    const answer = await answerOf();
    expect(read(stdout)).toEqual({
      whole: answer,
      streamed: answer,
      cancelled: true,
      late: 'DeadlineExceeded',
      health: 'SERVING',
      services: SERVICES,
      refused: 'PermissionDenied',
      nobody: 'PermissionDenied',
    });
  });
});

describe.skipIf(peers.grpcurl === undefined)(`grpcurl${skipped('grpcurl')}`, () => {
  const grpcurl = (who: string, ...words: string[]) => {
    const { directory } = production.files;
    const tls = [
      '-cacert',
      `${directory}/ca.pem`,
      '-cert',
      `${directory}/${who}.pem`,
      '-key',
      `${directory}/${who}.key`,
    ];
    const address = `localhost:${production.server.port}`;
    const at = words[0] === '-d' ? 2 : 0;
    return run(peers.grpcurl ?? '', [...tls, ...words.slice(0, at), address, ...words.slice(at)]).then(
      ({ stdout }) => stdout,
      (error: { stderr: string }) => error.stderr,
    );
  };

  it('lists, describes, calls and streams by reflection', async () => {
    expect((await grpcurl('control', 'list')).trim().split('\n')).toEqual(SERVICES);
    expect(await grpcurl('control', 'describe', 'troupe.engine.v1.ToolChoice')).toContain('MODE_REQUIRED = 3;');
    expect(await grpcurl('data', 'list')).toContain('PermissionDenied');
    const body = {
      messages: [{ role: 'user', content: 'What is the capital of Norway?' }],
      max_tokens: 20,
      sampling: { temperature: 0 },
    };
    const whole = await grpcurl('both', '-d', JSON.stringify(body), 'troupe.engine.v1.Inference/Complete');
    const answer = await answerOf();
    expect(JSON.parse(whole)).toMatchObject({ choices: [{ message: { content: answer } }] });
    const streamed = await grpcurl('both', '-d', JSON.stringify(body), 'troupe.engine.v1.Inference/Chat');
    const pieces = [...streamed.matchAll(/"content": ("(?:[^"\\]|\\.)*")/g)].map(
      ([, text = '""']) => JSON.parse(text) as string,
    );
    expect(pieces.join('')).toBe(answer);
    expect(await grpcurl('both', 'grpc.health.v1.Health/Check')).toContain('SERVING');
    expect(await grpcurl('control', 'troupe.engine.v1.Control/Status')).toContain('"engineId": "suite"');
  });
});
