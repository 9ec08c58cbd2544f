import { Actor, actorKey, callAgain, withOptions, type ChildSpec, type Placement, type Ref } from '../actor/index.js';
import { locate, present } from '../base/index.js';
import { openTokenizer, type EncodeOptions, type PlainText, type Tokenizer } from '../tokenizer/index.js';

/** The tokenizer actor in the tree. */
export const tokenizerKey = actorKey<TokenizerActor>('tokenizer');
/**
 * Prompts above this length, in UTF-16 units, go to the actor: shorter ones take less time than the round trip, under
 * 10 ms.
 */
const INLINE_LENGTH = 1 << 16;
/** The compiled tokenizer is loaded and never changed: a small heap bounds a mistake. */
const HEAP_MB = 1024;

/** Deaths of instances during one prompt, at most. */
const MAX_ATTEMPTS = 4;

/** The tokenizer actor's input: the artifact's compiled tokenizer, shared or copied. */
export interface TokenizerInit {
  readonly compiled: Uint8Array;
  /** Control tokens besides those that the tokenizer marks special. */
  readonly controlTexts: readonly string[];
}

/** Encodes long texts, so that the caller's thread goes on serving others. */
export class TokenizerActor extends Actor {
  readonly #init: TokenizerInit;
  #tokenizer: Tokenizer | undefined;

  constructor(init: TokenizerInit) {
    super();
    this.#init = init;
  }

  override started(): void {
    this.#tokenizer = openTokenizer(this.#init.compiled, () => this.#init.controlTexts);
  }

  /** Ids of `text`, int32. */
  async encode(text: string, options: EncodeOptions): Promise<Int32Array> {
    const tokenizer = present(this.#tokenizer, 'started runs before calls');
    return Int32Array.from(tokenizer.encode(text, options));
  }
}

/** The child spec of the tokenizer actor. */
export function tokenizerActorSpec(init: TokenizerInit, placement: Placement): ChildSpec<TokenizerInit> {
  return {
    id: tokenizerKey.id,
    actor: { module: locate('dist/src/completion/tokenizer-actor.js'), name: 'TokenizerActor' },
    init,
    restart: 'permanent',
    shutdownMs: 0,
    placement,
    heapMb: HEAP_MB,
  };
}

/**
 * Encodes a text where it is cheapest: short ones here, long ones in the actor. `addSpecialTokens`: whether to add the
 * tokenizer's special tokens around the text; a chat template writes its own.
 */
export function createTextEncoder(
  tokenizer: Pick<Tokenizer, 'encode'>,
  ref: Ref<TokenizerActor>,
  { addSpecialTokens }: { readonly addSpecialTokens: boolean },
) {
  return async (text: string, signal: AbortSignal | undefined, plain?: PlainText): Promise<readonly number[]> => {
    const options: EncodeOptions = { addSpecialTokens, plain };
    if (text.length <= INLINE_LENGTH) return tokenizer.encode(text, options);
    const patient = withOptions(ref, { signal, whenDown: 'wait' });
    return Array.from(await callAgain(MAX_ATTEMPTS, () => patient.encode(text, options)));
  };
}
