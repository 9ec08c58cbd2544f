// What a module declares of each of its error codes, and how a wire learns of it.

/** Who can do something about an error: decides exit codes and, on a wire, status codes. */
export type Blame = 'caller' | 'operator' | 'upstream' | 'wait' | 'developer';

/**
 * What sort of failure a code is, whatever a wire makes of it. The names and their meaning are gRPC's canonical codes
 * (google/rpc/code.proto), without OK and UNKNOWN: `failed_precondition` is what asking again cannot change before
 * somebody mends the files, the machine or the configuration; `unavailable` is what waiting mends.
 */
export type ErrorKind =
  | 'cancelled'
  | 'invalid_argument'
  | 'deadline_exceeded'
  | 'not_found'
  | 'already_exists'
  | 'permission_denied'
  | 'unauthenticated'
  | 'resource_exhausted'
  | 'failed_precondition'
  | 'aborted'
  | 'out_of_range'
  | 'unimplemented'
  | 'internal'
  | 'unavailable'
  | 'data_loss';

/** What a module declares for each of its error codes: who must act, of which kind it is, and when it happens. */
export type CodeTable = Readonly<
  Record<string, { readonly who: Blame; readonly kind: ErrorKind; readonly when: string }>
>;

/** The kind of an error code; undefined for a code that no module declares, such as one of the system. */
export type KindOf = (code: string) => ErrorKind | undefined;

/** The kinds of the codes of `tables`. Whoever puts a program together knows all its modules, and hands this to a wire. */
export function createKindOf(tables: readonly CodeTable[]): KindOf {
  const kinds = new Map(
    tables.flatMap((table) => Object.entries(table).map(([code, { kind }]): [string, ErrorKind] => [code, kind])),
  );
  return (code) => kinds.get(code);
}
