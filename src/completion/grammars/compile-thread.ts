import { parseInOrder, toErrorData, type ErrorData } from '../../base/index.js';
import { compileGrammar, type CompiledGrammar } from '../../grammar/index.js';
import { buildGrammar } from './build-grammar.js';
import type { GrammarRequest } from './grammar-request.js';

/** A grammar that is ready, and the keywords that it does not hold. */
export interface ReadyGrammar {
  readonly compiled: CompiledGrammar;
  readonly unenforced: readonly string[];
}

/** What is compiled. */
export interface CompileTask {
  /** A `GrammarRequest` as JSON text: a clone loses the order of names in schemas. */
  readonly request: string;
  /** Tools whose schemas need not be held are left open. */
  readonly isLoose: boolean;
}

/** What a worker thread runs. piscina looks for the default or a named export. Errors would lose their code between threads. */
export function run({ request, isLoose }: CompileTask): ReadyGrammar | { readonly error: ErrorData } {
  try {
    const { grammar, unenforced } = buildGrammar(parseInOrder(request) as GrammarRequest, isLoose);
    return { compiled: compileGrammar(grammar), unenforced };
  } catch (error) {
    return { error: toErrorData(error) };
  }
}
