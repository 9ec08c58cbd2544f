import { toErrorData, type ErrorData } from '../base/index.js';
import { withVocabulary, type CompiledText, type TokenizerTask } from './compile-tokenizer.js';
import { openCheckpoint } from './open-checkpoint.js';

/** What a worker thread runs: it makes tokenizer.bin and vocabulary.bin of the model at `path`. piscina looks for the default or a named export. */
export async function run({ path, vocabSize }: TokenizerTask): Promise<CompiledText | { readonly error: ErrorData }> {
  try {
    await using checkpoint = await openCheckpoint(path);
    return withVocabulary(checkpoint, vocabSize);
  } catch (error) {
    // Errors would lose their code between threads.
    return { error: toErrorData(error) };
  }
}
