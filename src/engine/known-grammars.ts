/**
 * Compiled grammars cross to an engine once and are named by their ids after that. A grammar may have megabytes, and
 * requests with one schema come in rows.
 */
import { joinGrammar, partGrammar, type CompiledGrammar, type NamedConstraint } from '../grammar/index.js';
import type { GenerateRequest } from './request.js';

/** Grammars that are kept: as many as are answered at once, mostly, and as many as a vocabulary keeps walks of. */
const MAX_KNOWN = 32;

/** A request whose grammar, if it has one, is named by its id. */
export interface NamedRequest extends Omit<GenerateRequest, 'constraint'> {
  readonly constraint?: NamedConstraint;
}

/**
 * Grammars by their ids; past 32 the least recently used is forgotten. The client of an engine has one for each engine,
 * and so has the engine. Both see the same requests in the same order, so they mostly know the same.
 */
export class KnownGrammars {
  /** The least recently used first. */
  readonly #byId = new Map<string, CompiledGrammar>();

  /** Whether `grammar`, the very object, is known under `id`. */
  has(id: string, grammar: CompiledGrammar): boolean {
    return this.#byId.get(id) === grammar;
  }

  /** The grammar of that id, which is used now. */
  get(id: string): CompiledGrammar | undefined {
    const grammar = this.#byId.get(id);
    if (grammar !== undefined) this.put(id, grammar);
    return grammar;
  }

  /** Keeps a grammar, in place of another one of the same id. */
  put(id: string, grammar: CompiledGrammar): void {
    this.#byId.delete(id);
    this.#byId.set(id, grammar);
    const [oldest] = this.#byId.keys();
    if (this.#byId.size > MAX_KNOWN && oldest !== undefined) this.#byId.delete(oldest);
  }
}

/** A request in two parts; `grammar` is undefined where the request has none. */
export interface PartedRequest {
  readonly named: NamedRequest;
  readonly grammar: { readonly id: string; readonly compiled: CompiledGrammar } | undefined;
}

/** Parts a request from its grammar. */
export function partRequest(request: GenerateRequest): PartedRequest {
  const { constraint, ...rest } = request;
  if (constraint === undefined) return { named: rest, grammar: undefined };
  const { named, grammar } = partGrammar(constraint);
  return { named: { ...rest, constraint: named }, grammar };
}

/** The whole request, with the grammar that comes with it or is known by its id; undefined where it is not known. */
export function joinRequest(
  request: NamedRequest,
  grammar: CompiledGrammar | undefined,
  known: KnownGrammars,
): GenerateRequest | undefined {
  const { constraint, ...rest } = request;
  if (constraint === undefined) return rest;
  const whole = joinGrammar(constraint, (id) => {
    if (grammar !== undefined) known.put(id, grammar);
    return known.get(id);
  });
  return whole && { ...rest, constraint: whole };
}
