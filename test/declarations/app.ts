// A foreign program: a folder that holds the package as it is packed, and the compiler that reads it.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = process.cwd();

/** Settings of a strict program for Node that knows no browser. */
export const strictNode = {
  target: 'es2022',
  lib: ['es2023'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
  types: ['node'],
};

/** A program's folder. */
export interface App extends Disposable {
  readonly directory: string;
  /** The compiler's errors, by the file that they are in. */
  check(files: Readonly<Record<string, string>>, settings?: object): Promise<Map<string, string[]>>;
}

/** A folder with the package's declarations and those of `packages`. */
export function createApp(packages: readonly string[] = []): App {
  const directory = mkdtempSync(join(tmpdir(), 'troupe-app-'));
  const modules = join(directory, 'node_modules');
  mkdirSync(join(modules, 'troupe/dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(modules, 'troupe/package.json'));
  cpSync(join(root, 'dist/types'), join(modules, 'troupe/dist/types'), { recursive: true });
  mkdirSync(join(modules, '@types'));
  for (const name of ['@types/node', 'undici-types', ...packages]) {
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  return {
    directory,
    async check(files, settings = {}) {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
      const compilerOptions = { ...strictNode, ...settings };
      const config = { compilerOptions, files: Object.keys(files) };
      writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config));
      return toErrors(await compile(directory));
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

function compile(directory: string): Promise<string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, '-p', directory], { cwd: directory }, (_, stdout) => resolve(stdout));
  });
}

function toErrors(output: string): Map<string, string[]> {
  const errors = new Map<string, string[]>();
  for (const line of output.split('\n')) {
    const [, file, message] =
      /^(\S+?)(?:\(\d+,\d+\))?: (error TS.*)$/.exec(line) ?? /^()(error TS.*)$/.exec(line) ?? [];
    if (file === undefined || message === undefined) continue;
    errors.set(file, [...(errors.get(file) ?? []), message]);
  }
  return errors;
}
