import { alignUp } from '../../../../base/index.js';
import { quantOf, type QuantName } from '../../../../weights/index.js';
import type { Embed } from '../kernel-interface.js';
import { createPackedReader, createUnpacked } from './packed.js';
import { readI32, type Views } from './views.js';

/** Embedding lookup in a table stored as `quant`. */
export function createEmbed(views: Views, quant: QuantName): Embed {
  const { block, activations, groupBytes } = quantOf(quant);
  if (block === undefined && activations === 'int8') return createUnpackedEmbed(views, quant);
  const reader = createPackedReader(quant);
  return (out, outStride, table, columns, tokenIds, rowStart, rowEnd, scale) => {
    const padded = alignUp(columns, 32);
    for (let row = rowStart; row < rowEnd; row++) {
      const token = readI32(views, tokenIds + row * 4);
      const group = table + Math.floor(token / 8) * groupBytes(padded);
      for (let column = 0; column < padded; column++) {
        const value = reader.element(views, group, token % 8, column);
        const factor = reader.scale(views, group, token % 8, Math.floor(column / 32));
        const minimum = reader.minimum(views, group, token % 8, Math.floor(column / 32));
        views.f32[(out + row * outStride) / 4 + column] = (value * factor + minimum) * scale;
      }
    }
  };
}

/** The same by `unpackGroup`. */
function createUnpackedEmbed(views: Views, quant: QuantName): Embed {
  const weights = createUnpacked(views, quant);
  return (out, outStride, table, columns, tokenIds, rowStart, rowEnd, scale) => {
    const padded = alignUp(columns, 32);
    for (let row = rowStart; row < rowEnd; row++) {
      const token = readI32(views, tokenIds + row * 4);
      const values = weights(table + Math.floor(token / 8) * quantOf(quant).groupBytes(padded), padded);
      for (let column = 0; column < padded; column++) {
        views.f32[(out + row * outStride) / 4 + column] = (values[(token % 8) * padded + column] as number) * scale;
      }
    }
  };
}
