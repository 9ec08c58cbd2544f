export {
  type EncodeTokens,
  createJoinedVocabulary,
  createVocabulary,
  GrammarVocabulary,
  MASK_UNITS,
  openVocabulary,
  type SpaceToken,
} from './grammar-vocabulary.js';
export type { MaskMaker, MaskOrder } from './mask-maker.js';
export type { Paused } from './walk-trie.js';
