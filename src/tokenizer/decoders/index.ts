import { unsupported } from '../errors.js';
import { toObject, toText } from '../json.js';

/** What decoders exist: ByteLevel joins the bytes of the tokens and reads them as UTF-8. */
export const decoders = ['ByteLevel'] as const;

/** Checks `decoder` of tokenizer.json. Errors: `unsupported_tokenizer` for any other than ByteLevel. */
export function checkDecoder(spec: unknown): void {
  if (spec === null || spec === undefined) throw unsupported('decoder', 'a tokenizer without a decoder');
  const type = toText(toObject(spec, 'decoder')['type'], 'decoder.type');
  if (!decoders.some((each) => each === type))
    throw unsupported('decoder', `the type ${JSON.stringify(type.slice(0, 40))}`);
}
