export { createVocabulary, GrammarVocabulary, openVocabulary, type SpaceToken } from './grammar-vocabulary.js';
