import { instantiateRowKernels } from '../logits/row-kernels.js';
import { compileIn, type CompileMode } from './compile-mode.js';
import { lackOf } from './dot-probe.js';
import { instantiateKernels } from './instantiate.js';
import { readModule, type KernelModule } from './modules.js';
import { readSelfTest, type SelfTest } from './self-test.js';

let selfTest: SelfTest | undefined;

/** The mistake of a module compiled in `mode`; undefined when it compiles and computes correctly. May end the process. */
export async function tryModule(name: KernelModule, mode: CompileMode): Promise<string | undefined> {
  try {
    const lack = lackOf(name, mode);
    if (lack !== undefined) return lack;
    const module = compileIn(mode, await readModule(name));
    if (name === 'sampling') {
      instantiateRowKernels(new WebAssembly.Memory({ initial: 2, maximum: 2, shared: true }), module);
      return undefined;
    }
    selfTest ??= await readSelfTest();
    const memory = selfTest.createMemory();
    return selfTest.check(instantiateKernels(module, memory), memory);
  } catch (error) {
    return `does not load: ${String(error)}`;
  }
}
