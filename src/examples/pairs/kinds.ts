import { Registry } from '../../base/registry.js';
import { cropsMaker } from './crops.js';
import { faqMaker } from './faq.js';
import { headingMaker } from './heading.js';
import { ictMaker } from './ict.js';
import { linksMaker } from './links.js';
import type { PairMaker } from './pair-maker.js';
import { sameTextMaker } from './same-text.js';
import { spiderMaker } from './spider.js';
import { titleMaker } from './title.js';

/** All ways to make pairs of documents alone. Each is a source of examples that recipes can name, too. */
export const pairMakers = new Registry<PairMaker>('pair maker', [
  ictMaker,
  spiderMaker,
  cropsMaker,
  sameTextMaker,
  titleMaker,
  headingMaker,
  faqMaker,
  linksMaker,
]);
