// Limits of a hosted.yaml, far above a file that an operator writes by hand.

/** Providers of one service. */
export const MAX_PROVIDERS = 256;
/** Models that one provider names. */
export const MAX_PROVIDER_MODELS = 4096;
/** Further paths of one provider, prefixes of the service, its public URLs, ranges, origins. */
export const MAX_SERVICE_PATHS = 64;
