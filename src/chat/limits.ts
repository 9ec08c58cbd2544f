/** Parsed templates that one renderer keeps: one for each loaded model and a few to spare. */
export const MAX_CACHED_TEMPLATES = 16;
/** Newlines next to a tag that a parser trims: a bound on the text that it holds back. */
export const MAX_TRIMMED_NEWLINES = 64;
/** Deepest nesting in the arguments of a tool call: a bound on the scanner's stack. */
export const MAX_ARGUMENT_DEPTH = 64;
/** Longest name or id that stands outside of JSON in a tool call: names have at most 64 characters on the wire. */
export const MAX_WORD_LENGTH = 256;
/** Longest key of an argument that stands outside of JSON: longer than any name of a property that tools have. */
export const MAX_KEY_LENGTH = 1024;
