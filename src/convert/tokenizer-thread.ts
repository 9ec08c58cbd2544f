import { toErrorData, type ErrorData } from '../base/index.js';
import type { CompiledTokenizer } from './checkpoint.js';
import { openCheckpoint } from './open-checkpoint.js';

/** What a worker thread runs: it makes the tokenizer.bin of the model at `path`. piscina looks for the default or a named export. */
export async function run(path: string): Promise<CompiledTokenizer | { readonly error: ErrorData }> {
  try {
    await using checkpoint = await openCheckpoint(path);
    return checkpoint.compileTokenizer();
  } catch (error) {
    // Errors would lose their code between threads.
    return { error: toErrorData(error) };
  }
}
