/** Longest template source, in UTF-16 units. Published ones stay below 64 Ki; parsing is linear but not free. */
export const MAX_TEMPLATE_LENGTH = 1 << 20;
/** Longest rendered prompt, in UTF-16 units: more than a request body of 32 MiB can hold. */
export const MAX_PROMPT_LENGTH = 1 << 26;
/** Longest message of a template's own error that is passed on. */
export const MAX_TEMPLATE_MESSAGE = 300;
