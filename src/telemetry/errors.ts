import type { CodeTable } from '../base/index.js';

/** Codes of telemetry. */
export const telemetryCodes = {
  telemetry_invalid: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'a variable OTEL_… cannot be used, or the headers for a collector are missing or wrong',
  },
} as const satisfies CodeTable;
