export {
  type EncodeText,
  createJoinedVocabulary,
  createVocabulary,
  GrammarVocabulary,
  openVocabulary,
  type SpaceToken,
} from './grammar-vocabulary.js';
