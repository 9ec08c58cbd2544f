import { floatsOf, type WeightLayout } from '../../layout.js';

/** Plain matrices: rows of floats, one after the other. */
export const rowLayout: WeightLayout = {
  name: 'rows-f32-1',
  arrange(_, tensors) {
    return tensors.map(({ name, kind, rows, columns }) => ({ name, kind, rows, columns, of: [name], columnStart: 0 }));
  },
  bytes: ({ rows, columns }) => rows * columns * Float32Array.BYTES_PER_ELEMENT,
  rows({ name, rows }, first, count) {
    return [{ tensor: name, start: first, count: Math.min(count, rows - first) }];
  },
  pack: ({ columns }, rows, first, packed) => floatsOf(packed).set(rows, first * columns),
  unpack({ columns }, packed, first, rows) {
    rows.set(floatsOf(packed).subarray(first * columns, first * columns + rows.length));
  },
};
