import type { TokenPrice } from '../price.js';

/** What is asked before a request is dispatched. */
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
  /** Whether its answer cannot be cut: all of it was reserved at once. */
  readonly isWhole: boolean;
  /** Of the prompt. */
  readonly promptTokens: number;
  /** What is reserved for the answer, all choices together. */
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
  /** Whether these were counted by us, and not told by the runtime. */
  readonly isEstimated: boolean;
  /** Whether a byte of the answer was handed on. */
  readonly began: boolean;
}

/** What a request is charged. Zeros for one that failed before its first token. */
export interface Charge {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  readonly isEstimated: boolean;
  /** What counts against budgets in tokens. */
  readonly chargedTokens: number;
  /** What the runtime counted beyond the reservation, and no budget had room for. */
  readonly unchargedTokens: number;
  readonly currency: string | undefined;
  readonly costMicro: bigint;
  readonly unchargedMicro: bigint;
}
