import type { GenerateRequest, Generator, SequenceOutput } from '../../engine/index.js';
import type { ChoiceEnd } from '../events.js';
import type { ChoiceRequest } from './choice.js';

/** A generator that records the tokens of one choice of another generator. */
export class TokenRecord implements Generator {
  readonly #generator: Generator;
  readonly #choice: ChoiceRequest | undefined;
  readonly #tokenIds: number[] = [];

  constructor(generator: Generator, choice: ChoiceRequest | undefined) {
    this.#generator = generator;
    this.#choice = choice;
  }

  get contextLength(): number {
    return this.#generator.contextLength;
  }

  async *generate(request: GenerateRequest, signal?: AbortSignal): AsyncGenerator<SequenceOutput, void> {
    const isOurs = request === this.#choice?.generate;
    for await (const output of this.#generator.generate(request, signal)) {
      if (isOurs) for (const id of output.tokenIds) this.#tokenIds.push(id);
      yield output;
    }
  }

  /** The prompt and the answer up to the token that ended it, without the model's own stop token. */
  tokenIds(end: ChoiceEnd | undefined): readonly number[] {
    const { promptTokenIds = [] } = this.#choice?.generate ?? {};
    return [...promptTokenIds, ...this.#tokenIds.slice(0, end?.completionTokens)];
  }
}
