/** Parsed templates that one renderer keeps: one for each loaded model and a few to spare. */
export const MAX_CACHED_TEMPLATES = 16;
/** Newlines next to a tag that a parser trims: a bound on the held text. */
export const MAX_TRIMMED_NEWLINES = 64;
/** Deepest nesting in the arguments of a tool call: a bound on the scanner's stack. */
export const MAX_ARGUMENT_DEPTH = 64;
/** Longest name or id outside of JSON in a tool call: names have at most 64 characters on the wire. */
export const MAX_WORD_LENGTH = 256;
/** Longest key of an argument outside of JSON: longer than any property name of tools. */
export const MAX_KEY_LENGTH = 1024;
