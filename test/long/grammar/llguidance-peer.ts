import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { inflateSync } from 'node:zlib';
import { isError } from '../../../src/base/index.js';

const PACKAGE = 'llguidance==1.9.1';

/** What a text is to be. */
export type PeerGrammar = { readonly schema: object } | { readonly regex: string };

/** The states of one text, from the empty one on, as far as the peer takes its tokens. */
export interface PeerState {
  /** A bit for each token, bit `id % 32` of word `id / 32`. */
  readonly mask: Uint32Array;
  readonly canEnd: boolean;
}

/** llguidance (Microsoft, MIT) in Python. */
export interface LlguidancePeer {
  /** The states of texts that are given as token ids; a text where the peer refuses the grammar. */
  masks(grammar: PeerGrammar, texts: readonly (readonly number[])[]): Promise<PeerState[][] | string>;
  /** For each prefix a whole text that the peer allows; null where it found none in some tries. */
  complete(grammar: PeerGrammar, prefixes: readonly (readonly number[])[]): Promise<(Buffer | null)[]>;
  close(): Promise<void>;
}

interface Answer {
  readonly error?: string;
  readonly texts?: readonly { readonly masks: readonly string[]; readonly ends: readonly boolean[] }[];
  readonly completions?: readonly (string | null)[];
}

/** Installs the peer under node_modules/.cache; gives its Python, or the reason why not. */
export async function installLlguidance(root: string): Promise<{ python: string } | { reason: string }> {
  const home = join(root, 'node_modules', '.cache', PACKAGE.replace('==', '-'));
  const python = join(home, 'bin', 'python');
  const done = join(home, 'lib', 'installed');
  if (existsSync(done)) return { python };
  const run = promisify(execFile);
  try {
    await rm(home, { recursive: true, force: true });
    await run('python3', ['-m', 'venv', home]);
    await run(python, ['-m', 'pip', 'install', '--quiet', PACKAGE], { timeout: 300_000 });
    await mkdir(done, { recursive: true });
    return { python };
  } catch (error) {
    return { reason: `${PACKAGE} cannot be installed: ${isError(error) ? error.message.slice(0, 300) : 'pip failed'}` };
  }
}

/** Starts the peer with the tokens of a tokenizer.json. */
export function startLlguidance(root: string, python: string, tokenizerPath: string): LlguidancePeer {
  const program = join(root, 'test', 'long', 'grammar', 'llguidance_masks.py');
  const child = spawn(python, [program, tokenizerPath], { cwd: dirname(program), stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));

  async function ask(request: object): Promise<Answer> {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the peer ended before it answered');
    return JSON.parse(value) as Answer;
  }

  return {
    async masks(grammar, texts) {
      const answer = await ask({ ...grammar, texts });
      if (answer.error !== undefined) return answer.error;
      return (answer.texts ?? []).map(({ masks, ends }) =>
        masks.map((mask, i) => ({ mask: toWords(mask), canEnd: ends[i] === true })),
      );
    },
    async complete(grammar, prefixes) {
      const answer = await ask({ ...grammar, prefixes });
      return (answer.completions ?? []).map((text) => (text === null ? null : Buffer.from(text, 'base64')));
    },
    async close() {
      child.stdin.end();
      await exit;
    },
  };
}

function toWords(mask: string): Uint32Array {
  const bytes = inflateSync(Buffer.from(mask, 'base64'));
  const words = new Uint32Array(Math.ceil(bytes.length / 4));
  new Uint8Array(words.buffer).set(bytes);
  return words;
}
