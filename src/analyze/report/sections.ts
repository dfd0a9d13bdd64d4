import type { Section } from '../analyze.js';

/** What each part of the report shows and how to read it. */
export const SECTION_TEXTS: Record<Section, { title: string; about: string }> = {
  curves: {
    title: 'Course of the training',
    about:
      'Negatives that teach nothing show as a loss and a gradient norm near zero (ANCE, Fig. 4). The age says by how many steps the negatives lag behind the model; a refresh that replaces few of them came sooner than it had to. By source, a batch has the negatives of that source alone, as many as it has of them, at the steps where that was measured; a + stands for a mixture that was not. Where points stand for several steps, the band has their extremes.',
  },
  gradients: {
    title: 'Gradient norms by source of negatives',
    about:
      'All on the same model. The best sampler draws a negative in proportion to the norm of its gradient (§3.1), which is at most a factor of the network times the norm at the last layer (eq. 12): for the pair loss (π/τ)·√(‖d⁺ − d⁻‖² + 2‖q‖²), where π is the probability the model gives to the negative and τ the temperature. The nearer a source is to the true top, the more of what there is to learn it shows the model.',
  },
  overlap: {
    title: "Overlap of training negatives with the model's true top",
    about:
      'The true top is found by exact search with the current model, known positives left out (§6.3; the paper has 0 % for in-batch, 15 % for BM25, 63 % rising to 100 % for ANCE). A run that samples from deeper than 100 cannot reach 100 % of the top 100; the other column has the depth it samples from.',
  },
  'long-tail': {
    title: 'Long tail of scores',
    about:
      'The mean over sampled training queries, with the band from the 10th to the 90th percentile (ANCE, Fig. 3). A steep start means that few documents are hard to tell from the positive and that random ones are not among them.',
  },
  bm25: {
    title: 'Holes and overlap with BM25',
    about:
      'A hole is a hit without a judgment for its query: where judgments were made from what sparse systems find, holes count against a dense one without its being wrong (Appendix A.2).',
  },
  costs: {
    title: 'Costs',
    about:
      'The lines of Table 5 of the ANCE paper. Those from events are medians of what the run took; those measured were taken now, for this report.',
  },
  compare: {
    title: 'Runs compared',
    about:
      'A loss that jumps, and a dev measure that dips, whenever fresh negatives take over are the signs of too large a gap between Trainer and Inferencer: too high a learning rate, or too rare a refresh (ANCE, Fig. 5). Gradient norms tell which negatives still teach the lower layers, too (Fig. 4).',
  },
};
