import type { JoinedTexts } from '../base/index.js';

/** Whether a vocabulary or merges are joined texts of a caller in this package, and not what a tokenizer.json has. */
export function isJoined(value: unknown): value is JoinedTexts {
  return (
    typeof value === 'object' &&
    value !== null &&
    'bytes' in value &&
    ArrayBuffer.isView(value.bytes) &&
    'offsets' in value &&
    ArrayBuffer.isView(value.offsets)
  );
}
