// Writes dist/kernels/self-test.bin, what each start compares the kernels with. Part of `npm run build`.
import { writeFile } from 'node:fs/promises';
import { locate } from '../base/index.js';
import { computeSelfTest } from '../compute/index.js';

await writeFile(locate('dist/kernels/self-test.bin'), computeSelfTest());
