export {
  type EncodeText,
  createVocabulary,
  GrammarVocabulary,
  openVocabulary,
  type SpaceToken,
} from './grammar-vocabulary.js';
