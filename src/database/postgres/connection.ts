import type { ClientConfig, CustomTypesConfig, types } from 'pg';

/** How long a connection may take to be made. */
const CONNECT_MS = 3_000;
/** How long one statement may take: all of ours are short, and so is every wait for a row's lock. */
const STATEMENT_MS = 5_000;
/** How long a node that hangs in a transaction can hold its locks. */
const IDLE_MS = 10_000;
/** After this further time the connection is given up without an answer: the network may drop packets. */
const ANSWER_MS = 3_000;

/** Source: PostgreSQL, src/include/catalog/pg_type.dat. */
const INT8_OID = 20;

/** The options that all connections share. */
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
    // Independent statements of one transaction are sent together.
    pipeline: true,
  };
}

/** The address of a database without user and password, for messages. */
export function addressOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed === undefined
    ? 'PostgreSQL'
    : `PostgreSQL at ${parsed.host === '' ? 'a socket' : parsed.host}${parsed.pathname}`;
}

/** 64-bit integers in rows: a number where that is exact, else a bigint. */
function withIntegers(parsers: typeof types): CustomTypesConfig {
  const toInteger = (text: string): number | bigint => {
    const number = Number(text);
    return Number.isSafeInteger(number) ? number : BigInt(text);
  };
  const getTypeParser: CustomTypesConfig['getTypeParser'] = (oid: number, format?: 'text' | 'binary') =>
    oid === INT8_OID ? toInteger : (parsers.getTypeParser(oid, format) as unknown);
  return { getTypeParser };
}
