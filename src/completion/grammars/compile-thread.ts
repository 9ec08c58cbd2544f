import { parseInOrder, toErrorData, type ErrorData } from '../../base/index.js';
import { compileGrammar, type CompiledGrammar } from '../../grammar/index.js';
import { buildGrammar } from './build-grammar.js';
import type { GrammarRequest } from './grammar-request.js';

/** A compiled grammar, and the keywords that it does not enforce. */
export interface ReadyGrammar {
  readonly compiled: CompiledGrammar;
  readonly unenforced: readonly string[];
}

/** The input of a compilation. */
export interface CompileTask {
  /** A `GrammarRequest` as JSON text: a clone loses the order of names in schemas. */
  readonly request: string;
  /** Schemas of tools that are not strict are left open. */
  readonly isLoose: boolean;
}

/**
 * The task of a worker thread. piscina looks for the default or a named export. Errors are returned as data: thrown,
 * they would lose their code between threads.
 */
export function run({ request, isLoose }: CompileTask): ReadyGrammar | { readonly error: ErrorData } {
  try {
    const { grammar, unenforced } = buildGrammar(parseInOrder(request) as GrammarRequest, isLoose);
    return { compiled: compileGrammar(grammar), unenforced };
  } catch (error) {
    return { error: toErrorData(error) };
  }
}
