// node dist/bench/gguf/run.js <1.1b | 0.5b | 8b> <Q4_0 | Q4_1 | Q8_0> <out.gguf>
// Writes a GGUF file with random weights. `native-engine bench <out.gguf>` and llama.cpp run the same one.

import { shapes, type ShapeName } from '../../src/convert/index.js';
import { fileTypes, writeShapeFile, type FileType } from './shape-file.js';

const [shape = '', type = '', out] = process.argv.slice(2);
if (!Object.hasOwn(shapes, shape) || !Object.hasOwn(fileTypes, type) || out === undefined) {
  process.stderr.write(
    `usage: run.js <${Object.keys(shapes).join(' | ')}> <${Object.keys(fileTypes).join(' | ')}> <out.gguf>\n`,
  );
  process.exitCode = 2;
} else {
  await writeShapeFile(out, shapes[shape as ShapeName], type as FileType);
}
