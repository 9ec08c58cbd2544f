/** A piece of a tokenizer.model: its text, score, and type (1 is normal). */
export type WrittenPiece = readonly [content: string, score: number, type?: number];

/** What a tokenizer.model is made of; numbers are those of the schema. */
export interface WrittenModel {
  readonly pieces: readonly WrittenPiece[];
  readonly trainer?: Readonly<Record<number, number | string>>;
  readonly normalizer?: Readonly<Record<number, number | string | Uint8Array>>;
}

function varint(value: number): number[] {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}

function delimited(number: number, bytes: ArrayLike<number>): number[] {
  return [...varint(8 * number + 2), ...varint(bytes.length), ...Array.from(bytes)];
}

function message(fields: Readonly<Record<number, number | string | Uint8Array>>): number[] {
  return Object.entries(fields).flatMap(([number, value]) =>
    typeof value === 'number'
      ? [...varint(8 * Number(number)), ...varint(value)]
      : delimited(Number(number), typeof value === 'string' ? Buffer.from(value) : value),
  );
}

/** A tokenizer.model in protobuf. */
export function writeModel({ pieces, trainer = {}, normalizer = {} }: WrittenModel): Uint8Array {
  const all = pieces.flatMap(([content, score, type = 1]) => {
    const float = [8 * 2 + 5, ...new Uint8Array(Float32Array.of(score).buffer)];
    return delimited(1, [...delimited(1, Buffer.from(content)), ...float, ...message({ 3: type })]);
  });
  return Uint8Array.from([...all, ...delimited(2, message(trainer)), ...delimited(3, message(normalizer))]);
}

/** The tokens of all bytes. */
export const bytePieces: readonly WrittenPiece[] = Array.from({ length: 256 }, (_, byte) => [
  `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
  0,
  6,
]);
