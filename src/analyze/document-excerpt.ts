/** As much of a document as a list or a tooltip shows. */
export interface DocumentExcerpt {
  id: string;
  title?: string;
  /** The beginning of its text. */
  excerpt: string;
}
