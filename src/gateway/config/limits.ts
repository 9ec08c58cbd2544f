// Limits of a gateway.yaml, far above a file that an operator writes by hand.

/** Model servers of one gateway: the hosts of a /22, the largest range that is scanned. */
export const MAX_RUNTIMES = 1024;
/** Models that clients may ask for. */
export const MAX_GATEWAY_MODELS = 4096;
/** Targets of one model: its request may be tried again on each. */
export const MAX_TARGETS = 64;
/** Keys of the file; those made later are in the database. */
export const MAX_FILE_KEYS = 4096;
/** Models that one key lists. */
export const MAX_KEY_MODELS = 1024;
/** Budgets of one key: tokens and money in each window. */
export const MAX_BUDGETS = 8;
/** Further paths, and web origins. */
export const MAX_EXTRA_PATHS = 64;
