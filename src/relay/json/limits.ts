/** Deepest nesting of a JSON text that is read. Tools' schemas nest some twenty levels; parsers of runtimes break beyond a thousand. */
export const MAX_JSON_DEPTH = 128;

/** Bytes of a member's name that are kept to compare it. The longest that we act on has 21 characters, as escapes 126 bytes. */
export const MAX_MEMBER_NAME_BYTES = 256;
