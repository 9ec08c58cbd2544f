/** Longest template source, in UTF-16 units. Published ones stay below 64 Ki; parsing is linear but not free. */
export const MAX_TEMPLATE_LENGTH = 1 << 20;
/** Longest rendered prompt, in UTF-16 units: past what a request body of 32 MiB can hold. */
export const MAX_PROMPT_LENGTH = 1 << 26;
/** Parsed templates that one renderer keeps: one for each loaded model and a few to spare. */
export const MAX_CACHED_TEMPLATES = 16;
/** Longest message of a template's own error that is passed on. */
export const MAX_TEMPLATE_MESSAGE = 300;
/** Newlines next to a tag that a parser trims: a bound on the text that it holds back. */
export const MAX_TRIMMED_NEWLINES = 64;
/** Deepest nesting in the arguments of a tool call: a bound on the scanner's stack. */
export const MAX_ARGUMENT_DEPTH = 64;
