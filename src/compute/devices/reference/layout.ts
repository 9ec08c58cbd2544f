import { floatsOf, type ModelRows, type PlannedTensor, type WeightLayout } from '../../layout.js';

/** Floats of a piece: 4 MiB. */
const PIECE_FLOATS = 2 ** 20;

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
  async packAll(tensors, source, take) {
    for (const tensor of tensors) await take(tensor, readPieces(tensor, source));
  },
};

async function* readPieces({ name, rows, columns }: PlannedTensor, source: ModelRows): AsyncGenerator<Uint8Array> {
  const size = Math.max(1, Math.floor(PIECE_FLOATS / columns));
  for (let first = 0; first < rows; first += size) {
    const piece = new Float32Array(Math.min(size, rows - first) * columns);
    await source.readFloats(name, first, piece.length / columns, piece);
    yield new Uint8Array(piece.buffer);
  }
}
