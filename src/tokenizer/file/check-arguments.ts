import { checkOptions, flag, invalidValue, type OptionRule, type OptionTable } from '../../base/index.js';
import type { DecodeOptions, DetokenizerOptions, EncodeOptions, Tokenizer } from '../tokenizer-api.js';

/** `everywhere`, or a list of offsets: which ones is not checked, since each would cost what encoding costs. */
const plain: OptionRule = {
  accepts: (value) => value === 'everywhere' || (typeof value === 'object' && value !== null && 'length' in value),
  expected: '"everywhere" or a list of offsets',
};
const encodeOptions: OptionTable<EncodeOptions> = { addSpecialTokens: flag, plain };
const decodeOptions: OptionTable<DecodeOptions> = { skipSpecialTokens: flag };
const detokenizerOptions: OptionTable<DetokenizerOptions> = { continues: flag };

/** The same tokenizer for callers that may be mistaken. Ids from 0 to below `idLimit` are taken. */
export function withCheckedArguments(tokenizer: Tokenizer, idLimit: number): Tokenizer {
  const checkId = (field: string, id: unknown): void => {
    if (typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < idLimit) return;
    throw invalidValue(field, id, `a whole number from 0 to ${idLimit - 1}`);
  };
  return {
    vocabSize: tokenizer.vocabSize,
    addedTokens: tokenizer.addedTokens,
    encode(text, options) {
      checkText('text', text);
      return tokenizer.encode(text, checkOptions('encode', options, encodeOptions));
    },
    decode(ids, options) {
      checkList(ids);
      for (let i = 0; i < ids.length; i++) checkId(`ids[${i}]`, ids[i]);
      return tokenizer.decode(ids, checkOptions('decode', options, decodeOptions));
    },
    tokenBytes(id) {
      checkId('id', id);
      return tokenizer.tokenBytes(id);
    },
    createDetokenizer(options) {
      const detokenizer = tokenizer.createDetokenizer(checkOptions('createDetokenizer', options, detokenizerOptions));
      return {
        push(id) {
          checkId('id', id);
          return detokenizer.push(id);
        },
        bytesOf(id) {
          checkId('id', id);
          return detokenizer.bytesOf(id);
        },
        flush: () => detokenizer.flush(),
      };
    },
    tokenToId(content) {
      checkText('content', content);
      return tokenizer.tokenToId(content);
    },
  };
}

/** Errors: `invalid_value`. */
export function checkText(field: string, text: unknown): void {
  if (typeof text !== 'string') throw invalidValue(field, text, 'a string');
}

function checkList(ids: unknown): void {
  const isList = typeof ids === 'object' && ids !== null && 'length' in ids && Number.isInteger(ids.length);
  if (!isList) throw invalidValue('ids', ids, 'a list of token ids');
}
