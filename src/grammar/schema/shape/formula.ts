/** A schema at its place in a document, or a value that a schema is made from. */
export interface SchemaNode {
  /** Different for nodes that mean something different. */
  readonly id: number;
  readonly source: NodeSource;
}

/** The source of a node. */
export type NodeSource =
  | { readonly kind: 'schema'; readonly place: SchemaPart }
  /** The values equal to a value of the schema at `pointer`. */
  | { readonly kind: 'value'; readonly value: unknown; readonly pointer: string }
  /** The values that satisfy a formula. */
  | { readonly kind: 'formula'; readonly formula: Formula };

/** A schema within its document. */
export interface SchemaPart {
  readonly schema: unknown;
  /** JSON pointer from the root of the document. */
  readonly pointer: string;
  /** The schema resource that it belongs to. */
  readonly resource: SchemaResource;
  /** Resources that were entered on the way here, the outermost first; empty where no reference depends on them. */
  readonly scope: readonly SchemaResource[];
}

/** A schema with an address of its own, and the schemas in it that are not resources themselves. */
export interface SchemaResource {
  readonly id: number;
  readonly uri: string;
  readonly root: unknown;
  readonly pointer: string;
  /** Names within it, as of `$anchor` and `$dynamicAnchor`. */
  readonly anchors: ReadonlyMap<string, AnchoredSchema>;
}

/** A schema that has a name. */
export interface AnchoredSchema {
  readonly schema: unknown;
  readonly pointer: string;
  /** Of `$dynamicAnchor`. */
  readonly isDynamic: boolean;
}

/** A node that must hold, or must not. */
export interface Literal {
  readonly node: SchemaNode;
  readonly isNegated: boolean;
}

/** Literals that must all be true. None: anything holds it. */
export interface Formula {
  /** Equal for equal formulas. */
  readonly key: string;
  readonly literals: readonly Literal[];
}

/** Every value satisfies it. */
export const TRUE: Formula = { key: '', literals: [] };
/** No value satisfies it. */
export const FALSE: Formula = { key: '!', literals: [] };

/** The formula of one literal. */
export function only(node: SchemaNode, isNegated = false): Formula {
  return { key: `${isNegated ? '-' : ''}${node.id}`, literals: [{ node, isNegated }] };
}

/** All of them. */
export function both(...formulas: readonly Formula[]): Formula {
  if (formulas.includes(FALSE)) return FALSE;
  const distinct = formulas.filter((formula) => formula !== TRUE);
  const [first] = distinct;
  if (first === undefined) return TRUE;
  if (distinct.length === 1) return first;
  const byKey = new Map<string, Literal>();
  for (const { literals } of distinct) {
    for (const literal of literals) byKey.set(only(literal.node, literal.isNegated).key, literal);
  }
  for (const key of byKey.keys()) if (byKey.has(`-${key}`)) return FALSE;
  const keys = [...byKey.keys()].toSorted();
  return { key: keys.join('&'), literals: keys.flatMap((key) => byKey.get(key) ?? []) };
}
