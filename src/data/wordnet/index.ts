export { openReverseDictionary, type ReverseDictionaryOptions } from './reverse-dictionary.js';
export { TOPICS, type Topic } from './synset.js';
