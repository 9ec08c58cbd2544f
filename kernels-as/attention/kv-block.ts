// Where things lie in a block of the KV cache (kernel-interface.ts, kvHeadBytes).

/** Bytes of the keys, and of the values, of one head in one block of float32. */
export function plainBytes(headDim: i32): usize {
  return (<usize>headDim) << 7;
}

/** Bytes of the int8 keys, or values, of one head in one block; their scales follow. */
export function quantizedBytes(headDim: i32): usize {
  return (<usize>headDim) << 5;
}

/** Bytes of the scales of one head's keys, or values, in one block: f32 [ceil(headDim / 32)][32]. */
export function scaleBytes(headDim: i32): usize {
  return (<usize>(headDim + 31) >> 5) << 7;
}
