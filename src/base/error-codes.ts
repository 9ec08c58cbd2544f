// Declarations of a module's error codes, and their kinds for the wire.

/** Who must act on an error: decides exit codes and, on a wire, status codes. */
export type Blame = 'caller' | 'operator' | 'upstream' | 'wait' | 'developer';

/**
 * The kind of failure of a code, independent of any wire. The names and their meaning are gRPC's canonical codes
 * (google/rpc/code.proto), without OK and UNKNOWN. `failed_precondition`: a retry fails until the files, the machine or
 * the configuration are mended. `unavailable`: a later retry may succeed.
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

/** A module's declaration of each error code: who must act, its kind, and when it happens. */
export type CodeTable = Readonly<
  Record<string, { readonly who: Blame; readonly kind: ErrorKind; readonly when: string }>
>;

/** The kind of an error code; undefined for a code that no module declares, such as one of the system. */
export type KindOf = (code: string) => ErrorKind | undefined;

/** The kinds of the codes of `tables`. The composition root knows all modules and passes this function to the wire. */
export function createKindOf(tables: readonly CodeTable[]): KindOf {
  const kinds = new Map(
    tables.flatMap((table) => Object.entries(table).map(([code, { kind }]): [string, ErrorKind] => [code, kind])),
  );
  return (code) => kinds.get(code);
}
