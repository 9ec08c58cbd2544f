import type { TokenPrice } from '../price.js';

/** A request as the meter admits it, before it is dispatched. */
export interface AdmitRequest {
  /** Unlike that of any other request that is under way. */
  readonly requestId: string;
  readonly keyId: string;
  /** As the client names it. */
  readonly model: string;
  /** Absent: the model costs nothing. */
  readonly price?: TokenPrice;
  /** No prompt has more tokens: of all prompts of the request together. */
  readonly promptTokensBound: number;
  /** The most completion tokens of one choice, for an answer that cannot be cut. Absent: it is reserved in slices. */
  readonly outputTokensBound?: number;
  /** n × best_of × prompts. */
  readonly choices: number;
}

/** A reservation, as the ledger keeps it until it is settled. */
export interface HoldRecord {
  readonly requestId: string;
  readonly keyId: string;
  readonly model: string;
  readonly price: TokenPrice | undefined;
  readonly choices: number;
  /** Whether its answer cannot be cut: the whole answer was reserved at once. */
  readonly isWhole: boolean;
  /** Of the prompt. */
  readonly promptTokens: number;
  /** Tokens reserved for the answer, all choices together. */
  completionTokens: number;
  heldMicro: bigint;
  /** The slot of the minute in which the request counts. */
  readonly requestSlot: number;
  /** The slots in which its tokens count. */
  readonly tokenSlots: { readonly at: number; tokens: number }[];
}

/** How a request ended. */
export interface Outcome {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Of the prompt. */
  readonly cachedTokens: number;
  /** Of the prompt, put into a cache. Absent: none is known. */
  readonly cacheWriteTokens?: number;
  /** Of the completion. */
  readonly reasoningTokens: number;
  /** Whether this process counted them because the runtime did not report them. */
  readonly isEstimated: boolean;
  /** Whether a byte of the answer was handed on. */
  readonly began: boolean;
}

/** The charge of a request. Zeros for one that failed before its first token. */
export interface Charge {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  readonly isEstimated: boolean;
  /** Tokens that count against budgets. */
  readonly chargedTokens: number;
  /** Tokens that the runtime counted beyond the reservation, and for which no budget had room. */
  readonly unchargedTokens: number;
  readonly currency: string | undefined;
  readonly costMicro: bigint;
  readonly unchargedMicro: bigint;
}
