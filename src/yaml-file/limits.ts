// Limits of a configuration file. All are far above files that an operator writes by hand.

/** Bytes of the file: 1,000 keys and 1,000 models of a gateway.yaml take some 600 KB. */
export const MAX_YAML_BYTES = 1024 * 1024;
/** Nesting of maps and lists: the deepest field of any schema is at 6, and the parser of YAML is recursive. */
export const MAX_YAML_DEPTH = 32;
/** Aliases (`*name`) of the whole file: a few shared limits. Each may expand to as much as its anchor has. */
export const MAX_ALIASES = 100;
/** Values, keys, maps and lists of the whole file: they cost some 500 bytes of memory each. */
export const MAX_NODES = 100_000;
/** Words, marks, spaces and comments of the whole file: a file of the largest size that people write has some 250,000. */
export const MAX_LEXEMES = 400_000;
/** Mistakes that one error lists; a file with more is the wrong file. */
export const MAX_PROBLEMS = 50;
