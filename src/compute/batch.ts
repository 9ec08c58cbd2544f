/** Blocks of the layers that see `window` tokens, the newest included. Those behind may be given to other tokens. */
export interface WindowPool {
  readonly window: number;
  readonly blocks: number;
}

/** How much a device takes at a time. */
export interface DeviceCapacity {
  /** Blocks of KV_BLOCK_TOKENS tokens in the cache of each layer that has none of `windows`: the first pool. */
  readonly kvBlocks: number;
  /** Pools of layers with windows. Absent: all layers are in the first pool. */
  readonly windows?: readonly WindowPool[];
  /**
   * Slots for the states of fixed size of a sequence; 0 where the graph has none. Running sequences have one each, and a
   * prefix cache the rest.
   */
  readonly stateSlots: number;
  /** Tokens in a step, over all sequences. */
  readonly maxRows: number;
  /** Sequences in a step, and rows of it whose logits may be wanted. */
  readonly maxSequences: number;
}

/** Where the rows of a step lie in a pool of blocks. */
export interface KvTables {
  /** Target of each row's key and value: block · KV_BLOCK_TOKENS + offset. [rows] */
  readonly slots: Int32Array;
  /** Block ids of each sequence in the batch, in order. Of a pool with a window those behind it are of no meaning. */
  blockTables: readonly (readonly number[])[];
}

/** A row of a step that is no token: its values enter the first layer in place of a token's embedding. */
export interface GivenRow {
  readonly row: number;
  /** f32 [hiddenSize]. A scale of embeddings does not apply to them. */
  readonly values: Float32Array;
}

/** One step's rows, with their places in the first pool. Arrays may be longer than `rows` and `numLogitRows` say. */
export interface Batch extends KvTables {
  rows: number;
  /** [rows] */
  readonly tokenIds: Int32Array;
  /** Rows that are no tokens; what `tokenIds` has for them is not read. */
  readonly given: GivenRow[];
  readonly positions: Int32Array;
  /** The rows' places in the pools of windows, in the capacity's order. */
  readonly windows: readonly KvTables[];
  /** Which block table each row reads: an index into `blockTables`. */
  readonly sequences: Int32Array;
  /** State slot of each sequence in the batch, where the graph has states of fixed size. */
  states: readonly number[];
  /** A slot that gets the state after each row, or −1. [rows] */
  readonly checkpoints: Int32Array;
  /** Rows whose logits are wanted. [numLogitRows] */
  readonly logitRows: Int32Array;
  numLogitRows: number;
}

/** An empty batch, of the size that a device takes. */
export function createBatch({ capacity }: { readonly capacity: DeviceCapacity }): Batch {
  const { maxRows, maxSequences, windows = [] } = capacity;
  return {
    rows: 0,
    tokenIds: new Int32Array(maxRows),
    given: [],
    positions: new Int32Array(maxRows),
    slots: new Int32Array(maxRows),
    sequences: new Int32Array(maxRows),
    blockTables: [],
    windows: windows.map(() => ({ slots: new Int32Array(maxRows), blockTables: [] })),
    states: [],
    checkpoints: new Int32Array(maxRows).fill(-1),
    logitRows: new Int32Array(maxSequences),
    numLogitRows: 0,
  };
}
