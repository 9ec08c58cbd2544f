import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { installPython } from '../../support/python-packages.js';
import { toWords } from './packed-mask.js';

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

/** Installs the peer; gives its Python, or the reason why not. */
export const installLlguidance = () => installPython([PACKAGE]);

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
