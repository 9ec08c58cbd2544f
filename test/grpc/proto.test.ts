import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { files, services, troupe } from '../../src/grpc/index.js';
import { GrpcChatRequest, GrpcSampling } from '../../src/wire/grpc/grpc-request.js';

/** Names of fields that a codec writes and reads again. */
const survives = (
  codec: { encode(message: object): { finish(): Uint8Array }; decode(bytes: Uint8Array): object },
  name: string,
  value: unknown,
): boolean => Object.hasOwn(codec.decode(codec.encode({ [name]: value }).finish()), name);

/** A value that a field of any type would write. */
const samples: readonly unknown[] = [1, 'a', true, [1], ['a'], [{ role: 'a' }], { 1: 1 }, {}];

describe('the .proto files', () => {
  it.each([
    ['Sampling', troupe.engine.v1.Sampling, GrpcSampling],
    ['ChatRequest', troupe.engine.v1.ChatRequest, GrpcChatRequest],
  ])('have every field that a request may have: %s', (_, codec, schema) => {
    // The method says whether it is a stream.
    const names = Object.keys(schema.properties).filter((name) => name !== 'stream');
    const missing = names.filter((name) => {
      return !samples.some((value) => {
        try {
          return survives(codec, name, value);
        } catch {
          return false;
        }
      });
    });
    expect(missing).toEqual([]);
    expect(names.length).toBeGreaterThan(10);
  });

  it('say what each service has, and what imports what', () => {
    const declared = Object.values(files).flatMap(({ symbols }) => symbols);
    for (const [service, methods] of Object.entries(services)) {
      for (const method of Object.keys(methods)) expect(declared).toContain(`${service}.${method}`);
    }
    for (const { imports } of Object.values(files)) expect(imports.filter((name) => !(name in files))).toEqual([]);
  });

  it('keep 64-bit integers, and refuse what is no message', () => {
    const { Sampling, Model } = troupe.engine.v1;
    const seeds = [0, -1, 2 ** 53, 2n ** 63n - 1n, -(2n ** 63n)];
    const read = seeds.map((seed) => Sampling.decode(Sampling.encode({ seed }).finish()).seed);
    expect(read).toEqual([0, -1, 2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n)]);
    expect(Model.decode(Model.encode({ created: 1_790_000_000 }).finish()).created).toBe(1_790_000_000);
    expect(() => Model.decode(Uint8Array.of(0x0a, 1, 0xff))).toThrow();
  });

  it('are read without @grpc/proto-loader, by one copy of protobufjs', () => {
    const script = `
      const { createRequire } = await import('node:module');
      await import('./dist/src/grpc/index.js');
      const loaded = Object.keys(createRequire(process.cwd() + '/').cache);
      const roots = loaded.filter((path) => /protobufjs.src.reader\\.js$/.test(path));
      console.log(JSON.stringify([loaded.some((path) => path.includes('proto-loader')), roots.length]));`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(JSON.parse(printed)).toEqual([false, 1]);
  });
});
