/** What `meta.json` of an index calls it; by itself, for those who only want to know what a folder is. */
export const FORMAT_NAME = 'nearmiss-bm25';
