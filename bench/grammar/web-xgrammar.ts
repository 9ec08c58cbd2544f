import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compileFunction, constants } from 'node:vm';

/** What is used of `@mlc-ai/web-xgrammar`, the peer that runs in Node (Apache-2.0). */
export interface WebXgrammar {
  readonly TokenizerInfo: {
    createTokenizerInfo(
      vocab: readonly string[],
      type: 'byte_level',
      prependSpace: boolean,
      vocabSize: number,
      stopTokenIds: readonly number[],
    ): Promise<Disposable & object>;
  };
  readonly GrammarCompiler: {
    createGrammarCompiler(info: object, cacheEnabled: boolean): Promise<PeerCompiler>;
  };
  readonly GrammarMatcher: { createGrammarMatcher(compiled: object): Promise<PeerMatcher> };
}

interface Disposable {
  dispose(): void;
}

/** Compiles for one vocabulary. */
export interface PeerCompiler {
  compileJSONSchema(
    schema: string,
    anyWhitespace: boolean,
    indent: number,
    separators: readonly [string, string],
    strict: boolean,
  ): Promise<Disposable>;
  compileGrammar(ebnf: string, root: string): Promise<Disposable>;
}

/** One text that goes on. */
export interface PeerMatcher extends Disposable {
  acceptToken(tokenId: number): boolean;
  getNextTokenBitmask(): Promise<Int32Array>;
}

/** Loads the peer: its file is of the older kind of modules and its package says that it is not. */
export function loadWebXgrammar(): WebXgrammar {
  const load = createRequire(import.meta.url);
  const path = join(dirname(load.resolve('@mlc-ai/web-xgrammar/package.json')), 'lib', 'index.js');
  const module: { exports: unknown } = { exports: {} };
  const names = ['module', 'exports', 'require', '__filename', '__dirname'];
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  compileFunction(readFileSync(path, 'utf8'), names, { filename: path, importModuleDynamically })(
    module,
    module.exports,
    createRequire(path),
    path,
    dirname(path),
  );
  return module.exports as WebXgrammar;
}
