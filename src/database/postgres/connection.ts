import type { ClientConfig, CustomTypesConfig, types } from 'pg';

/** How long a connection may take to be made. */
const CONNECT_MS = 3_000;
/** How long one statement may take: all of ours are short, and who waits for a row's lock waits for such a one. */
const STATEMENT_MS = 5_000;
/** What a node that hangs in a transaction keeps locked at most. */
const IDLE_MS = 10_000;
/** How much later the connection is given up, whatever the server says: a network that swallows packets. */
const ANSWER_MS = 3_000;

/** Source: PostgreSQL, src/include/catalog/pg_type.dat. */
const INT8_OID = 20;

/** What all connections have in common. */
export function connectionOf(
  url: string,
  parsers: typeof types,
  statementMs = STATEMENT_MS,
): ClientConfig & { readonly pipeline: boolean } {
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: IDLE_MS,
    query_timeout: statementMs + ANSWER_MS,
    keepAlive: true,
    application_name: 'hosted-api',
    types: withIntegers(parsers),
    // Statements of one transaction that need nothing of each other go out together.
    pipeline: true,
  };
}

/** A database's place without user and password, for messages. */
export function placeOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed === undefined
    ? 'PostgreSQL'
    : `PostgreSQL at ${parsed.host === '' ? 'a socket' : parsed.host}${parsed.pathname}`;
}

/** 64-bit integers as rows have them: a number where that is exact, a bigint elsewhere. */
function withIntegers(parsers: typeof types): CustomTypesConfig {
  const toInteger = (text: string): number | bigint => {
    const number = Number(text);
    return Number.isSafeInteger(number) ? number : BigInt(text);
  };
  const getTypeParser: CustomTypesConfig['getTypeParser'] = (oid: number, format?: 'text' | 'binary') =>
    oid === INT8_OID ? toInteger : (parsers.getTypeParser(oid, format) as unknown);
  return { getTypeParser };
}
