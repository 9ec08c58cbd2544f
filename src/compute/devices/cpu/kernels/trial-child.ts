// The process in which kernel modules are tried: node trial-child.js '[["vnni","revectorized"], …]'. It writes each
// result as a line of JSON as soon as it is known. If the process dies, the first attempt without a line killed it. A
// line before them shows that its code was loaded.

import { writeSync } from 'node:fs';
import { argv } from 'node:process';
import { compileIn, type CompileMode } from './compile-mode.js';
import { readModule, type KernelModule } from './modules.js';
import { BEGUN } from './trial-begun.js';
import { instantiateRowKernels } from '../logits/row-kernels.js';
import { readSelfTest, type SelfTest } from './self-test.js';
import { tryVariant } from './try-variant.js';

let selfTest: SelfTest | undefined;

/** The mistake of a module compiled in `mode`; undefined when it compiles and computes correctly. May end the process. */
async function tryModule(name: KernelModule, mode: CompileMode): Promise<string | undefined> {
  try {
    const bytes = await readModule(name);
    if (name === 'sampling') {
      instantiateRowKernels(new WebAssembly.Memory({ initial: 2, maximum: 2, shared: true }), compileIn(mode, bytes));
      return undefined;
    }
    selfTest ??= await readSelfTest();
    const trial = tryVariant(name, mode, bytes, selfTest);
    return 'reason' in trial ? trial.reason : undefined;
  } catch (error) {
    return `does not load: ${String(error)}`;
  }
}

const attempts = JSON.parse(argv[2] ?? '[]') as [KernelModule, CompileMode][];
writeSync(1, `${BEGUN}\n`);
for (const [name, mode] of attempts) {
  const reason = await tryModule(name, mode);
  writeSync(1, `${JSON.stringify({ name, mode, reason: reason ?? null })}\n`);
}
