// Limits of metering.

/** Completion tokens of one slice of a reservation. Small: unused reservations fill no budget. */
export const SLICE_TOKENS = 256;
/** Tokens of one request, prompt and completion each: contexts of models are below 2^24. */
export const MAX_REQUEST_TOKENS = 2 ** 31;
/** Choices of one request: n × best_of × prompts. */
export const MAX_METERED_CHOICES = 4096;
/** Characters of a secret that are looked at; ours have 61. */
export const MAX_SECRET_LENGTH = 128;
/** Keys of one meter: each takes some 1 KB of memory. */
export const MAX_METER_KEYS = 100_000;
/** From so many keys on, the meter frees memory after loading: they leave some 30 MB of garbage. */
export const RELEASE_FROM_KEYS = 10_000;
/** Rows of the request log that wait to be written: some 10 s at 5,000 a second. Past it they are dropped and counted. */
export const MAX_WAITING_ROWS = 50_000;
/** Rows of one answer to a query. */
export const MAX_ROWS = 10_000;
/** How often expiries are looked at: streams of an ended key are cut within a second. */
export const TICK_MS = 500;
/** How long after a failed write the next is tried. */
export const RETRY_MS = 1000;
/** How often the last use of a key is written. */
export const LAST_USE_MS = 60_000;
/** How often rows past their retention are removed. */
export const SWEEP_MS = 3_600_000;
/** Characters of texts in an audit entry, and of its whole diff as JSON. */
export const MAX_AUDIT_TEXT = 1000;
/** Characters of the diff of an audit entry as JSON. */
export const MAX_AUDIT_DIFF = 16_384;
/** The longest grace of a rotated key: 30 days. */
export const MAX_GRACE_MS = 30 * 86_400_000;
