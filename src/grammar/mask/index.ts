export { createVocabulary, GrammarVocabulary, openVocabulary } from './grammar-vocabulary.js';
